"""Modules as functions of their parameters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import flambeau_core as fb
from flambeau_core import Tensor

from ..modules.module import Module

__all__ = ["functional_call", "stack_module_state"]


def functional_call(
    module: Module,
    parameters_and_buffers: dict[str, Tensor] | Sequence[dict[str, Tensor]],
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """Calls a module with tensors in place of its own parameters and buffers.

    Args:
        module: the module; it is as before when the call has ended.
        parameters_and_buffers: tensors by their names in the module, or several
            such dicts; what they do not name stays the module's own.
        args: the positional arguments, a tuple; anything else is the only one.
        kwargs: the keyword arguments.
        tie_weights: whether a tensor that the module knows by several names is
            exchanged under all of them.
        strict: whether names that the module lacks, or that are left out, are errors.

    Raises:
        RuntimeError: names do not match and ``strict`` is set.
        ValueError: two names of one tied tensor are given different tensors.

    Example:

        >>> import flambeau as torch
        >>> layer = torch.nn.Linear(1, 1)
        >>> weights = {"weight": torch.tensor([[2.0]]), "bias": torch.tensor([1.0])}
        >>> torch.func.functional_call(layer, weights, (torch.tensor([3.0]),))
        tensor([7.])
    """
    given = (
        parameters_and_buffers
        if isinstance(parameters_and_buffers, dict)
        else _merged(parameters_and_buffers)
    )
    positional = () if args is None else args if isinstance(args, tuple) else (args,)
    with _exchanged(module, given, tie_weights, strict):
        return module(*positional, **(kwargs or {}))


def _merged(dicts: Sequence[dict[str, Tensor]]) -> dict[str, Tensor]:
    if not isinstance(dicts, (list, tuple)) or not all(isinstance(d, dict) for d in dicts):
        raise ValueError(
            "functional_call: parameters_and_buffers must be a dict or a sequence of dicts"
        )
    merged: dict[str, Tensor] = {}
    for d in dicts:
        if again := merged.keys() & d.keys():
            raise ValueError(f"functional_call: {sorted(again)} appear in several dicts")
        merged.update(d)
    return merged


def _own_tensors(module: Module) -> dict[str, Tensor]:
    return {
        **dict(module.named_parameters(remove_duplicate=False)),
        **dict(module.named_buffers(remove_duplicate=False)),
    }


def _with_tied(own: dict[str, Tensor], given: dict[str, Tensor]) -> dict[str, Tensor]:
    """The tensors given, under every name of the tensor that each takes the place of."""
    by_tensor: dict[int, Tensor] = {}
    for name, value in given.items():
        if name in own and by_tensor.setdefault(id(own[name]), value) is not value:
            raise ValueError(
                f"functional_call: {name!r} is tied to another name that was given another tensor"
            )
    tied = {n: by_tensor[id(t)] for n, t in own.items() if id(t) in by_tensor}
    return {**given, **tied}


@contextmanager
def _exchanged(
    module: Module, given: dict[str, Tensor], tie_weights: bool, strict: bool
) -> Iterator[None]:
    own = _own_tensors(module)
    if strict:
        unknown, missing = given.keys() - own.keys(), own.keys() - given.keys()
        if unknown or missing:
            raise RuntimeError(
                f"functional_call: unexpected keys {sorted(unknown)}, missing keys "
                f"{sorted(missing)}"
            )
    wanted = _with_tied(own, given) if tie_weights else given
    before: list[tuple[dict[str, Any], str, Any]] = []
    for name, value in wanted.items():
        if name not in own:
            continue
        path, _, attribute = name.rpartition(".")
        owner = module.get_submodule(path)
        place: dict[str, Any] = (
            owner._parameters if attribute in owner._parameters else owner._buffers
        )
        before.append((place, attribute, place[attribute]))
        place[attribute] = value
    try:
        yield
    finally:
        for place, attribute, value in reversed(before):
            # Buffers that the call itself wrote a new tensor to belong to the caller's dict.
            place[attribute] = value


def stack_module_state(
    models: Sequence[Module],
) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """The parameters and buffers of models of one class, stacked along a new dimension 0.

    Raises:
        RuntimeError: there is no model, or they differ in class or training mode.

    Example:

        >>> import flambeau as torch
        >>> layers = [torch.nn.Linear(2, 3) for _ in range(4)]
        >>> parameters, buffers = torch.func.stack_module_state(layers)
        >>> parameters["weight"].shape
        flambeau.Size([4, 3, 2])
    """
    if not models:
        raise RuntimeError("stack_module_state: expected at least one model, got 0")
    if len({m.training for m in models}) > 1:
        raise RuntimeError("stack_module_state: all models must be in training or in eval mode")
    if len({type(m) for m in models}) > 1:
        raise RuntimeError("stack_module_state: all models must be of the same class")

    def stacked(each: list[dict[str, Any]], trainable: bool) -> dict[str, Tensor]:
        result = {}
        for name in each[0]:
            tensors = [d[name] for d in each]
            one = fb.stack([t.detach() for t in tensors])
            result[name] = one.requires_grad_(trainable and tensors[0].requires_grad)
        return result

    return (
        stacked([dict(m.named_parameters()) for m in models], True),
        stacked([dict(m.named_buffers()) for m in models], False),
    )
