"""What is saved after each epoch, so that training can go on from there."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import flambeau
from flambeau import nn, optim
from options import BadInput


@dataclass
class History:
    """What training measured: losses every few steps, and losses and accuracy by epoch."""

    epoch: int = 0
    steps: list[int] = field(default_factory=list)
    losses: list[float] = field(default_factory=list)
    epoch_steps: list[int] = field(default_factory=list)
    test_losses: list[float] = field(default_factory=list)
    accuracies: list[float] = field(default_factory=list)


def save(path: Path, kind: str, model: nn.Module, optimizer: Any, history: History) -> None:
    """Write a checkpoint, never leaving half a file in the place of a whole one."""
    state = {
        "kind": kind,
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "optimizer_kind": type(optimizer).__name__,
        "history": asdict(history),
        "random_state": flambeau.get_rng_state(),
    }
    part = path.with_name(path.name + ".part")
    flambeau.save(state, part)
    part.replace(path)


def resume(path: Path, kind: str, model: nn.Module, optimizer: optim.Optimizer) -> History:
    """Put model, optimizer and random numbers where a checkpoint left them; raises BadInput."""
    try:
        state = flambeau.load(path, map_location="cpu")
        if state["kind"] != kind:
            raise BadInput(f"{path} is of the model {state['kind']}, not {kind}")
        if state["optimizer_kind"] != type(optimizer).__name__:
            raise BadInput(f"{path} is of the optimizer {state['optimizer_kind'].lower()}")
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        flambeau.set_rng_state(state["random_state"])
        return History(**state["history"])
    except FileNotFoundError:
        raise BadInput(f"there is no file {path}") from None
    except BadInput:
        raise
    except Exception as error:
        reason = (str(error) or type(error).__name__).splitlines()[0]
        raise BadInput(f"{path} is not a checkpoint of this program: {reason}") from error
