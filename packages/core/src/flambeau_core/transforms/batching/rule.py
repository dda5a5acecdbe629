"""How a batching rule is written: the call it gets, and the table that it enters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ... import _C
from ..dispatch import call
from ..levels import Level
from ..signatures import parameters
from ..tensors import NotBatchable, is_batched

__all__ = ["RULES", "BatchedCall", "NotBatchable", "rule"]

Tensor = _C.Tensor


@dataclass
class BatchedCall:
    """An op on tensors of examples, as a rule sees it.

    The examples lie along dimension 0 of every value; ``args`` are as the
    function under vmap gave them, so their shapes are those of one example.
    """

    op: Any
    overload: int
    args: tuple[Any, ...]
    level: Level

    @property
    def name(self) -> str:
        return str(self.op.__name__)

    def index(self, name: str) -> int:
        """The position of a parameter; -1 where the overload has none of that name."""
        names = [n for n, _ in parameters(self.op, self.overload)]
        return names.index(name) if name in names else -1

    def batched(self, x: Any) -> bool:
        return is_batched(x, self.level)

    def value(self, x: Any, ndim: int | None = None) -> Any:
        """A tensor's examples, their own dimensions filled up to ``ndim`` from the left.

        A tensor that is the same for all examples is handed back as it is.
        """
        if not self.batched(x):
            return x
        v = x.value
        for _ in range((ndim or 0) - x.ndim):
            v = v.unsqueeze(1)
        return v

    def repeated(self, x: Any, ndim: int | None = None) -> Any:
        """The same, with an unbatched tensor repeated for every example."""
        if not self.batched(x):
            x = x.reshape((1,) * max((ndim or 0) - x.ndim, 0) + tuple(x.shape))
            return x.unsqueeze(0).expand(self.level.batch_size, *x.shape)
        return self.value(x, ndim)

    def run(self, *args: Any) -> Any:
        """The op itself, on the levels below."""
        return call(self.op, self.overload, args)

    def replaced(self, /, **changes: Any) -> tuple[Any, ...]:
        """The arguments with some exchanged, by name."""
        args = list(self.args)
        for name, value in changes.items():
            args[self.index(name)] = value
        return tuple(args)


Rule = Callable[[BatchedCall], Any]
RULES: dict[str, Rule] = {}


def rule(*names: str) -> Callable[[Rule], Rule]:
    """Enters a function into the table: it gives the values of the result, examples along
    dimension 0; None means that this call has no rule and runs an example at a time."""

    def enter(f: Rule) -> Rule:
        for name in names:
            RULES[name] = f
        return f

    return enter
