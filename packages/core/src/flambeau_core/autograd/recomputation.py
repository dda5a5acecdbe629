"""Regions of a forward pass that keep their inputs alone and are computed again in backward.

Chen, Xu, Zhang, Guestrin: Training Deep Nets with Sublinear Memory Cost, 2016. Each tensor that
the region would save becomes an empty slot; the first slot that backward opens runs the region
again, which fills them all.
"""

from __future__ import annotations

import contextlib
import traceback
import weakref
from collections.abc import Callable, Iterator
from typing import Any

from .. import _C
from ..random import fork_rng
from .function import Function
from .grad_mode import enable_grad
from .graph import saved_tensors_hooks

__all__ = ["CheckpointError", "Region", "Surroundings"]

Tensor = _C.Tensor


class CheckpointError(RuntimeError):
    """The second run of a checkpointed function saved other tensors than the first."""


class _EverythingRecomputed(BaseException):
    """Ends a second run early: no slot is empty any more."""


class Surroundings:
    """The state that a function's result may depend on: random numbers and autocast."""

    def __init__(self, tensors: Any, preserve_rng_state: bool) -> None:
        from ..amp.autocast_mode import get_autocast_dtype, is_autocast_enabled

        self._rng_state = _C.get_rng_state() if preserve_rng_state else None
        types = {"cpu", *(t.device.type for t in tensors if isinstance(t, Tensor))}
        self._autocast = [
            (name, get_autocast_dtype(name), is_autocast_enabled(name)) for name in sorted(types)
        ]

    @contextlib.contextmanager
    def restored(self) -> Iterator[None]:
        """The state as it was, for a block."""
        from ..amp.autocast_mode import autocast

        with contextlib.ExitStack() as stack:
            stack.enter_context(fork_rng(enabled=self._rng_state is not None))
            if self._rng_state is not None:
                _C.set_rng_state(self._rng_state)
            for name, dtype, enabled in self._autocast:
                stack.enter_context(autocast(name, dtype=dtype, enabled=enabled))
            yield


class _Inputs(Function):
    """Keeps the region's inputs in the graph, so that outer hooks, such as those of an outer
    region, hold them their own way."""

    @staticmethod
    def forward(ctx: Any, switch: Any, *tensors: Any) -> Any:
        ctx.save_for_backward(*tensors)
        return _C.empty((0,))

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        raise AssertionError("no gradient comes here")


class _Slot:
    """The place of one saved tensor: its form, and its value while a backward pass needs it."""

    __slots__ = ("__weakref__", "form", "origin", "region", "values")

    def __init__(self, region: Region, tensor: Any) -> None:
        self.region = region
        self.form = (tuple(tensor.shape), tensor.dtype, tensor.device)
        self.origin = region.place_of_call()
        self.values: dict[int, Any] = {}


class Region:
    """One call of a checkpointed function.

    Args:
        call: the function, of the tensors among its arguments.
        tensors: those tensors.
        surroundings: what to restore for the second run.
        recompute_context: gives a context for the second run.
        compares: whether shapes, dtypes and devices of both runs must agree.
        debug: remember where each tensor is saved, for the error.
        early_stop: end the second run with the last tensor that is needed.
    """

    def __init__(
        self,
        call: Callable[..., Any],
        tensors: list[Any],
        *,
        surroundings: Surroundings,
        recompute_context: Any,
        compares: bool = True,
        debug: bool = False,
        early_stop: bool = True,
    ) -> None:
        self.call = call
        self.surroundings = surroundings
        self.recompute_context = recompute_context
        self.compares = compares
        self.debug = debug
        self.early_stop = early_stop
        self.slots: list[weakref.ref[_Slot]] = []
        self.complete = False
        switch = _C.empty((0,), requires_grad=True)
        self._inputs = _Inputs.apply(switch, *tensors).grad_fn

    def hooks(self) -> saved_tensors_hooks:
        """The hooks for the first run."""
        return saved_tensors_hooks(self._pack, _unpack)

    def place_of_call(self) -> str:
        return "".join(traceback.format_stack(limit=12)[:-4]) if self.debug else ""

    def _pack(self, tensor: Any) -> _Slot:
        if self.complete:
            raise CheckpointError("checkpoint: a tensor was saved after the function had ended")
        slot = _Slot(self, tensor)
        self.slots.append(weakref.ref(slot))
        return slot

    def recompute(self, run: int) -> None:
        """Runs the function again and fills the slots for this backward pass."""
        again = _SecondRun(self, run)
        with enable_grad():
            tensors = self._inputs.saved_tensors
            try:
                with (
                    saved_tensors_hooks(again.pack, again.unpack),
                    self.surroundings.restored(),
                    self.recompute_context,
                ):
                    self.call(*tensors)
            except _EverythingRecomputed:
                pass
        if again.count != len(self.slots):
            raise CheckpointError(
                "checkpoint: the function saved another number of tensors in its second run: "
                f"{len(self.slots)} in the forward pass, {again.count} when it was run again"
                + again.tracebacks(again.count)
            )


class _SecondRun:
    def __init__(self, region: Region, run: int) -> None:
        self.region = region
        self.run = run
        self.count = 0
        self.places: list[str] = []

    def pack(self, tensor: Any) -> Any:
        region, at = self.region, self.count
        self.count += 1
        if region.debug:
            self.places.append(region.place_of_call())
        if at < len(region.slots):
            slot = region.slots[at]()
            if slot is not None:  # else that part of the graph is freed already
                self._fill(slot, tensor, at)
            if region.early_stop and self.count == len(region.slots):
                raise _EverythingRecomputed
        # A backward pass inside of the function finds its tensors as they are.
        return tensor

    def unpack(self, tensor: Any) -> Any:
        return tensor

    def _fill(self, slot: _Slot, tensor: Any, at: int) -> None:
        form = (tuple(tensor.shape), tensor.dtype, tensor.device)
        if self.region.compares and form != slot.form:
            raise CheckpointError(
                "checkpoint: the tensors of the second run have different metadata than during "
                f"the forward pass: tensor {at} was {_described(slot.form)} and is "
                f"{_described(form)} now" + self.tracebacks(at)
            )
        slot.values[self.run] = tensor

    def tracebacks(self, at: int) -> str:
        if not self.region.debug:
            return ". Pass debug=True to see where each was saved."
        slot = self.region.slots[at]() if at < len(self.region.slots) else None
        first = slot.origin if slot else "(no such tensor)\n"
        second = self.places[at] if at < len(self.places) else "(no such tensor)\n"
        return f". Saved in the forward pass at\n{first}and in the second run at\n{second}"


def _described(form: tuple[Any, ...]) -> str:
    return f"{form[1]} of shape {list(form[0])} on {form[2]}"


def _unpack(slot: _Slot) -> Any:
    run = _C.current_backward()
    if run not in slot.values:
        slot.region.recompute(run)
    if run not in slot.values:
        raise CheckpointError("checkpoint: the second run did not save a tensor that is needed")
    tensor = slot.values.pop(run)
    if run < 0:  # nobody else will come for the values of a pass that is none
        for other in filter(None, (ref() for ref in slot.region.slots)):
            other.values.pop(run, None)
    return tensor
