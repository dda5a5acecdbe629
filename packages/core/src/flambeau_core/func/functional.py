"""Derivatives of functions as tensors: Jacobians, Hessians and their products with vectors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import _C
from ..autograd.backward import grad
from ..autograd.grad_mode import enable_grad

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]

Tensor = _C.Tensor


def _tuple(function: str, what: str, value: Any) -> tuple[bool, tuple[Any, ...]]:
    """Whether a value was a tuple, and the tensors as one; TypeError for anything else."""
    many = isinstance(value, tuple)
    items = tuple(value) if isinstance(value, (tuple, list)) else (value,)
    for i, x in enumerate(items):
        if not isinstance(x, Tensor):
            raise TypeError(
                f"{function}: {what} must be a tensor or a tuple of tensors, but "
                + (f"element {i} is" if many else "it is")
                + f" a {type(x).__name__}"
            )
    return many, items


def _inputs(inputs: tuple[Any, ...], create_graph: bool) -> tuple[Any, ...]:
    """Stand-ins to differentiate by, in the graph of the inputs if that is to go on."""
    return tuple(
        x.view_as(x) if create_graph and x.requires_grad else x.detach().requires_grad_()
        for x in inputs
    )


def _outside(tensors: tuple[Any, ...], create_graph: bool) -> tuple[Any, ...]:
    return tensors if create_graph else tuple(t.detach() for t in tensors)


def _as_given(many: bool, tensors: tuple[Any, ...]) -> Any:
    return tensors if many else tensors[0]


def _vectors(function: str, v: Any, like: tuple[Any, ...], what: str) -> tuple[Any, ...]:
    if v is None:
        if len(like) != 1 or like[0].numel() != 1:
            raise RuntimeError(
                f"{function}: the vector v can only be left out for {what} of a single element"
            )
        return (_C.ones_like(like[0]),)
    _, vectors = _tuple(function, "v", v)
    if len(vectors) != len(like):
        raise RuntimeError(
            f"{function}: v must have as many tensors as {what}, {len(like)}, but has "
            f"{len(vectors)}"
        )
    for i, (a, b) in enumerate(zip(vectors, like)):
        if a.shape != b.shape:
            raise RuntimeError(
                f"{function}: element {i} of v has shape {list(a.shape)}, but {what} have "
                f"{list(b.shape)}"
            )
    return vectors


def _gradients(
    function: str, ys: Any, xs: Any, vs: Any, create_graph: bool, strict: bool, retain: bool = True
) -> tuple[Any, ...]:
    """vs . d ys / d xs, zeros for what does not depend (an error if strict)."""
    pairs = [(y, v) for y, v in zip(ys, vs) if y.requires_grad]
    found: tuple[Any, ...] = (None,) * len(xs)
    if pairs:
        found = grad(
            [y for y, _ in pairs],
            list(xs),
            [v for _, v in pairs],
            retain_graph=retain,
            create_graph=create_graph,
            allow_unused=True,
        )
    if strict and (len(pairs) < len(ys) or any(g is None for g in found)):
        raise RuntimeError(
            f"{function}: with strict=True every output must depend on every input; one does not"
        )
    if strict and create_graph and not all(g.requires_grad for g in found):
        raise RuntimeError(
            f"{function}: with strict=True the derivative must depend on the inputs where a "
            "further one is to be taken; one does not"
        )
    return tuple(_C.zeros_like(x) if g is None else g for g, x in zip(found, xs))


def _evaluated(function: str, func: Any, xs: tuple[Any, ...]) -> tuple[bool, tuple[Any, ...]]:
    ys = func(*xs)
    if isinstance(ys, list):
        raise TypeError(f"{function}: the function must return a tensor or a tuple, got a list")
    return _tuple(function, "the outputs of the function", ys)


def vjp(
    func: Callable[..., Any],
    inputs: Any,
    v: Any = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """The outputs of ``func``, and the product of a vector with its Jacobian.

    Args:
        func: takes tensors and returns a tensor or a tuple of tensors.
        inputs: a tensor or a tuple of them.
        v: like the outputs; may be left out where that is one element.
        create_graph: whether the results can be differentiated further.
        strict: whether an output independent of an input is an error.

    Example:

        >>> import flambeau as torch
        >>> torch.autograd.functional.vjp(torch.sin, torch.tensor(0.0), torch.tensor(2.0))
        (tensor(0.), tensor(2.))
    """
    with enable_grad():
        many, given = _tuple("vjp", "inputs", inputs)
        xs = _inputs(given, create_graph)
        out_many, ys = _evaluated("vjp", func, xs)
        vs = _vectors("vjp", v, ys, "the outputs")
        found = _gradients("vjp", ys, xs, vs, create_graph, strict)
    return (
        _as_given(out_many, _outside(ys, create_graph)),
        _as_given(many, _outside(found, create_graph)),
    )


def jvp(
    func: Callable[..., Any],
    inputs: Any,
    v: Any = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """The outputs of ``func``, and the product of its Jacobian with a vector; see ``vjp``.

    Reverse mode twice; ``flambeau.func.jvp`` does it in one pass.

    Example:

        >>> import flambeau as torch
        >>> torch.autograd.functional.jvp(torch.sin, torch.tensor(0.0), torch.tensor(2.0))
        (tensor(0.), tensor(2.))
    """
    with enable_grad():
        _, given = _tuple("jvp", "inputs", inputs)
        xs = _inputs(given, create_graph)
        vs = _vectors("jvp", v, xs, "the inputs")
        out_many, ys = _evaluated("jvp", func, xs)
        seeds = tuple(_C.zeros_like(y).requires_grad_() for y in ys)
        rows = _gradients("jvp", ys, xs, seeds, True, strict)
        found = _gradients("jvp", rows, seeds, vs, create_graph, False)
    return (
        _as_given(out_many, _outside(ys, create_graph)),
        _as_given(out_many, _outside(found, create_graph)),
    )


def _jacobian_by_columns(func: Any, given: tuple[Any, ...], out_many: list[bool]) -> Any:
    from .jacobians import jacfwd

    def as_tuple(*xs: Any) -> Any:
        many, ys = _evaluated("jacobian", func, xs)
        out_many[:] = [many]
        return ys

    return jacfwd(as_tuple, argnums=tuple(range(len(given))))(*given)


def jacobian(
    func: Callable[..., Any],
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
    """The Jacobian of ``func``: for each output and input a tensor of both their shapes.

    Args:
        func, inputs, create_graph, strict: as of ``vjp``.
        vectorize: whether all rows (or columns) are computed together.
        strategy: ``"reverse-mode"``, a row at a time, or ``"forward-mode"``, columns, which
            needs ``vectorize=True``.

    Raises:
        AssertionError: an unknown strategy.
        NotImplementedError: forward mode without ``vectorize``.

    Example:

        >>> import flambeau as torch
        >>> torch.autograd.functional.jacobian(lambda x: x**2, torch.tensor([1.0, 2.0]))
        tensor([[2., 0.],
                [0., 4.]])
    """
    if strategy not in ("reverse-mode", "forward-mode"):
        raise AssertionError(
            f"jacobian: strategy must be 'reverse-mode' or 'forward-mode', got {strategy!r}"
        )
    many, given = _tuple("jacobian", "inputs", inputs)
    if strict and vectorize:
        raise RuntimeError("jacobian: strict=True is not supported with vectorize=True")
    if strategy == "forward-mode":
        if not vectorize:
            raise NotImplementedError("jacobian: forward-mode needs vectorize=True")
        out_many: list[bool] = []
        blocks = _jacobian_by_columns(func, given, out_many)
        rows = tuple(_as_given(many, _outside(row, create_graph)) for row in blocks)
        return _as_given(out_many[0], rows)
    with enable_grad():
        xs = _inputs(given, create_graph)
        is_tuple, ys = _evaluated("jacobian", func, xs)
        result = []
        for y in ys:
            if y.is_complex() and not vectorize:
                raise RuntimeError(f"jacobian: rows are those of real outputs, got {y.dtype}")
            each = [
                _gradients("jacobian", (e,), xs, (_C.ones_like(e),), create_graph, strict)
                for e in y.reshape(-1)
            ]
            result.append(
                tuple(
                    _C.stack([row[i] for row in each]).reshape(*y.shape, *x.shape)
                    if each
                    else x.new_zeros((*y.shape, *x.shape))
                    for i, x in enumerate(xs)
                )
            )
    return _as_given(
        is_tuple, tuple(_as_given(many, _outside(row, create_graph)) for row in result)
    )


def _single(function: str, func: Callable[..., Any]) -> Callable[..., Any]:
    def scalar(*xs: Any) -> Any:
        y = func(*xs)
        if not isinstance(y, Tensor) or y.numel() != 1:
            raise RuntimeError(
                f"{function}: the function must return a tensor of a single element, got "
                + (f"shape {list(y.shape)}" if isinstance(y, Tensor) else type(y).__name__)
            )
        return y.reshape(())

    return scalar


def hessian(
    func: Callable[..., Any],
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """The second derivatives of a function that returns a single element.

    For each pair of inputs a tensor of both their shapes; arguments as of ``jacobian``.

    Example:

        >>> import flambeau as torch
        >>> torch.autograd.functional.hessian(lambda x: (x**3).sum(), torch.tensor([1.0, 2.0]))
        tensor([[ 6.,  0.],
                [ 0., 12.]])
    """
    many, given = _tuple("hessian", "inputs", inputs)
    scalar = _single("hessian", func)

    def slope(*xs: Any) -> Any:
        if outer_jacobian_strategy == "forward-mode":
            from .reverse import grad as gradient_of

            return gradient_of(scalar, argnums=tuple(range(len(xs))))(*xs)
        y = scalar(*xs)
        return _gradients("hessian", (y,), xs, (_C.ones_like(y),), True, strict)

    found = jacobian(
        slope, given, create_graph, strict, vectorize, strategy=outer_jacobian_strategy
    )
    return found if many else found[0][0]


def vhp(
    func: Callable[..., Any],
    inputs: Any,
    v: Any = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """A function's value (a single element), and the product of a vector with its Hessian.

    Example:

        >>> import flambeau as torch
        >>> x, v = torch.tensor([1.0, 2.0]), torch.tensor([1.0, 0.0])
        >>> torch.autograd.functional.vhp(lambda x: (x**3).sum(), x, v)
        (tensor(9.), tensor([6., 0.]))
    """
    with enable_grad():
        many, given = _tuple("vhp", "inputs", inputs)
        xs = _inputs(given, create_graph)
        y = _single("vhp", func)(*xs)
        vs = _vectors("vhp", v, xs, "the inputs")
        slopes = _gradients("vhp", (y,), xs, (_C.ones_like(y),), True, strict)
        found = _gradients("vhp", slopes, xs, vs, create_graph, False)
    (value,) = _outside((y,), create_graph)
    return value, _as_given(many, _outside(found, create_graph))


def hvp(
    func: Callable[..., Any],
    inputs: Any,
    v: Any = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """A function's value, and the product of its Hessian with a vector.

    A Hessian is symmetric, so this is ``vhp`` by another name.

    Example:

        >>> import flambeau as torch
        >>> x, v = torch.tensor([1.0, 2.0]), torch.tensor([1.0, 0.0])
        >>> torch.autograd.functional.hvp(lambda x: (x**3).sum(), x, v)
        (tensor(9.), tensor([6., 0.]))
    """
    return vhp(func, inputs, v, create_graph, strict)
