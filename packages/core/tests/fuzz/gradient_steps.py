"""Smooth programs that can be run again from other leaves: steps chosen once, then closures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import flambeau_core as fb

from .drawing import Drawing

Step = Callable[[list[fb.Tensor]], None]
SMOOTH: dict[str, Callable[[fb.Tensor], fb.Tensor]] = {
    "sin": fb.sin,
    "tanh": fb.tanh,
    "exp": lambda x: fb.exp(x * 0.3),
    "square": fb.square,
    "sigmoid": fb.sigmoid,
    "log1p": lambda x: fb.log1p(x * x),
    "sum": lambda x: x.sum(-1, keepdim=True) if x.dim() else x.sum(),
    "mean": fb.mean,
    "cumsum": lambda x: x.cumsum(0) if x.dim() else x * 1,
    "softmax": lambda x: x.softmax(-1),
    "logsumexp": lambda x: x.logsumexp(-1, keepdim=True),
    "prod": lambda x: x.prod(-1) if x.dim() else x.prod(),
    "clone": fb.clone,
    "repeat": lambda x: x.repeat(2, *[1] * (x.dim() - 1)) if x.dim() else x.repeat(2),
    "cat": lambda x: fb.cat([x, x * 2], 0) if x.dim() else fb.stack([x, x]),
    "rows": lambda x: x[fb.tensor([0, -1, 0])] if x.dim() and x.shape[0] else x * 1,
    "flip": lambda x: x.flip(0) if x.dim() else x * 1,
    "gram": lambda x: x @ x.mT if x.dim() > 1 else x * x,
}
VIEWS: dict[str, Callable[[fb.Tensor], fb.Tensor]] = {
    "first": lambda x: x[0] if x.dim() and x.shape[0] else x.view(x.shape),
    "tail": lambda x: x[1:] if x.dim() else x.view(x.shape),
    "even": lambda x: x[..., ::2] if x.dim() else x.view(x.shape),
    "turned": lambda x: x.transpose(0, -1) if x.dim() else x.view(x.shape),
    "unsqueezed": lambda x: x.unsqueeze(-1),
    "diagonal": lambda x: x.diagonal() if x.dim() > 1 else x.view(x.shape),
    "unfolded": lambda x: x.unfold(0, 1, 1) if x.dim() and x.shape[0] else x.view(x.shape),
    "last": lambda x: x.split(1)[-1] if x.dim() and x.shape[0] else x.view(x.shape),
}
WRITES: dict[str, Callable[[fb.Tensor, fb.Tensor], Any]] = {
    "add_": lambda x, y: x.add_(y),
    "mul_": lambda x, y: x.mul_(y),
    "copy_": lambda x, y: x.copy_(y),
    "sub_": lambda x, y: x.sub_(y, alpha=0.5),
    "sin_": lambda x, y: x.sin_(),
    "tanh_": lambda x, y: x.tanh_(),
    "zero_": lambda x, y: x.zero_(),
    "fill_": lambda x, y: x.fill_(0.75),
    "setitem": lambda x, y: x.__setitem__(..., y),
    "masked_fill_": lambda x, y: x.masked_fill_(fb.tensor([True]), 0.5),
    "first": lambda x, y: x.__setitem__(0, 0.25) if x.dim() and x.shape[0] else x.neg_(),
}


# What is not allowed: writes to repeating memory, to views of leaves, to parts, of more elements.
REFUSED = ("single memory", "view of a leaf", "returns multiple views", "size", "broadcast shape")


def fits(a: fb.Tensor, b: fb.Tensor) -> bool:
    """Whether b broadcasts to the shape of a."""
    try:
        return fb.broadcast_shapes(a.shape, b.shape) == a.shape and a.numel() < 400
    except RuntimeError:
        return False


def apply(function: Callable[[fb.Tensor], fb.Tensor], at: int) -> Step:
    return lambda tensors: tensors.append(function(tensors[at]))


def combine(name: str, a: int, b: int) -> Step:
    return lambda tensors: tensors.append(getattr(fb, name)(tensors[a], tensors[b]))


def write(function: Callable[[fb.Tensor, fb.Tensor], Any], a: int, b: int) -> Step:
    def step(tensors: list[fb.Tensor]) -> None:
        function(tensors[a], tensors[b])

    return step


def shift(at: int) -> Step:
    """Under no_grad a constant is added: the derivative knows nothing of it, rightly."""

    def step(tensors: list[fb.Tensor]) -> None:
        with fb.no_grad():
            tensors[at].add_(0.125)

    return step


def drawn_step(draw: Drawing, tensors: list[fb.Tensor], leaves: int, pure: bool) -> Step:
    """A step that fits these tensors; the first ones are leaves and only read."""
    newest = len(tensors) - 1
    at = newest - draw.integer(0, min(newest, 3))
    kind = draw.choice(
        ["smooth", "combine", "view", *([] if pure else ["write", "write", "shift"])]
    )
    if tensors[at].numel() > 400:
        return apply(fb.mean, at)
    fitting = [i for i in range(len(tensors)) if fits(tensors[at], tensors[i])]
    other = draw.choice(fitting)
    if kind == "view":
        return apply(VIEWS[draw.choice(list(VIEWS))], at)
    if kind == "combine":
        return combine(draw.choice(["add", "mul", "sub"]), at, other)
    if kind == "write" and at >= leaves:
        return write(WRITES[draw.choice(list(WRITES))], at, other)
    if kind == "shift" and at >= leaves:
        return shift(at)
    return apply(SMOOTH[draw.choice(list(SMOOTH))], at)


def drawn_program(draw: Drawing, leaves: list[fb.Tensor], pure: bool = False) -> list[Step]:
    # They need gradients already here, so that what autograd refuses is not part of the program.
    leaves = [x.clone().requires_grad_(not pure) for x in leaves]
    tensors = [*leaves, leaves[0] * 1.5]
    steps: list[Step] = [lambda tensors: tensors.append(tensors[0] * 1.5)]
    for _ in range(draw.integer(1, 9)):
        step = drawn_step(draw, tensors, len(leaves), pure)
        known = len(tensors)
        try:
            step(tensors)
            small = all(float(t.detach().abs().amax()) <= 30 for t in tensors if t.numel())
        except RuntimeError as error:
            if not any(why in str(error) for why in REFUSED):
                raise
            # A write, which may also have spoiled a view that is looked at from now on.
            del tensors[known:]
            break
        if not small:
            break
        steps.append(step)
    return steps


def run(steps: list[Step], leaves: list[fb.Tensor]) -> list[fb.Tensor]:
    tensors = list(leaves)
    for step in steps:
        step(tensors)
    return tensors


def total(steps: list[Step], leaves: list[fb.Tensor]) -> fb.Tensor:
    """A smooth scalar of all that the program left, each with a weight of its own."""
    result = fb.zeros((), dtype=fb.float64)
    for number, tensor in enumerate(run(steps, leaves)):
        result = result + (tensor * (0.3 + 0.1 * number)).sin().sum()
    return result
