"""Declaring ops in Python: a schema and a function over other ops.

``@op("tril(Tensor self, int diagonal=0) -> Tensor")`` gives the function, the
method, ``out=``, argument parsing and documentation from one declaration.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from . import _C

__all__ = ["composition", "op"]

F = TypeVar("F", bound=Callable[..., Any])


def op(
    schema: str,
    *,
    function: bool = True,
    method: bool | None = None,
    inplace: bool = False,
    namespace: str | None = None,
    name: str | None = None,
) -> Callable[[F], F]:
    """Declares a composed op.

    Args:
        schema: the signature in PyTorch's notation; its types are listed in
            ``docs/adding_an_op.md``. The function is called with all arguments
            positionally, in this order, defaults filled in.
        function: whether it appears as ``flambeau.<name>``.
        method: whether it appears as ``Tensor.<name>``; by default where the
            first parameter is ``Tensor self``.
        inplace: whether ``Tensor.<name>_`` exists too.
        namespace: ``"nn"`` puts it among the neural-network ops instead, ``"both"`` also.
        name: another name than the schema's.

    Declarations of one name are overloads, tried in order.
    """
    head, _, returns = schema.partition("->")
    head = head.strip()
    if name is not None:
        head = name + head[head.index("(") :]
    neural = namespace == "nn"
    if method is None:
        method = not neural and head.split("(", 1)[1].startswith("Tensor self")
    out = function and (returns.strip() in ("", "Tensor") or returns.strip().startswith("("))
    also_neural = namespace == "both"

    def declare(f: F) -> F:
        _C.declare(head, f, function, method, inplace, out, neural, also_neural)
        return f

    return declare


def composition(kernel_id: str) -> Callable[[F], F]:
    """Gives the definition of an op that backends may supply as a kernel.

    Core calls it, with the op's arguments positionally, on devices whose
    backend has no kernel of that id.
    """

    def declare(f: F) -> F:
        _C.set_composition(kernel_id, f)
        return f

    return declare
