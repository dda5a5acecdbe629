"""The base class of transforms, their inverses and their compositions."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any

import flambeau_core as fb
from flambeau_core import Tensor

from .. import constraints
from ..broadcasting import sum_rightmost
from ..constraints import Constraint


class Transform:
    """A differentiable function of tensors with a known log-determinant of its Jacobian.

    A subclass defines ``_call`` and, if it can, ``_inverse`` and `log_abs_det_jacobian`.

    Args:
        cache_size: 1 keeps the latest input and output, so that the inverse of an output is the
            very input; for inverses that are costly or lose digits. 0 keeps nothing.

    Attributes:
        domain, codomain: the constraints of inputs and outputs, with their event dimensions.
        bijective: whether ``t.inv(t(x)) == x`` and ``t(t.inv(y)) == y``.
        sign: 1 or -1 for a monotonic function of single numbers, rising or falling.

    Raises:
        ValueError: another ``cache_size``.
    """

    bijective = False
    domain: Constraint
    codomain: Constraint

    def __init__(self, cache_size: int = 0) -> None:
        if cache_size not in (0, 1):
            raise ValueError(f"cache_size must be 0 or 1, but got {cache_size}")
        self._cache_size = cache_size
        # Only a weak reference, as the inverse holds this one.
        self._inv: weakref.ref[Transform] | None = None
        self._cached_x_y: tuple[Tensor | None, Tensor | None] = (None, None)
        super().__init__()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_inv": None}

    @property
    def event_dim(self) -> int:
        """The event dimensions of domain and codomain.

        Raises:
            ValueError: they differ.
        """
        if self.domain.event_dim != self.codomain.event_dim:
            raise ValueError("ask domain or codomain: their event_dim differ")
        return self.domain.event_dim

    @property
    def inv(self) -> Transform:
        """The inverse as a transform."""
        inverse = None if self._inv is None else self._inv()
        if inverse is None:
            inverse = _InverseTransform(self)
            self._inv = weakref.ref(inverse)
        return inverse

    @property
    def sign(self) -> Any:
        raise NotImplementedError

    def with_cache(self, cache_size: int = 1) -> Transform:
        """The same transform with another cache size."""
        if self._cache_size == cache_size:
            return self
        if type(self).__init__ is Transform.__init__:
            return type(self)(cache_size=cache_size)
        raise NotImplementedError(f"{type(self).__name__} does not implement with_cache")

    def __eq__(self, other: object) -> bool:
        return self is other

    __hash__ = None  # type: ignore[assignment]  # equality is by tensors' values

    def __call__(self, x: Tensor) -> Tensor:
        if self._cache_size == 0:
            return self._call(x)
        latest_x, latest_y = self._cached_x_y
        if x is latest_x and latest_y is not None:
            return latest_y
        y = self._call(x)
        self._cached_x_y = x, y
        return y

    def _inv_call(self, y: Tensor) -> Tensor:
        if self._cache_size == 0:
            return self._inverse(y)
        latest_x, latest_y = self._cached_x_y
        if y is latest_y and latest_x is not None:
            return latest_x
        x = self._inverse(y)
        self._cached_x_y = x, y
        return x

    def _call(self, x: Tensor) -> Tensor:
        raise NotImplementedError

    def _inverse(self, y: Tensor) -> Tensor:
        raise NotImplementedError

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """``log |det dy/dx|`` of an input and its output, without their event dimensions."""
        raise NotImplementedError

    def forward_shape(self, shape: Sequence[int]) -> fb.Size:
        """The shape of the output of an input of a shape."""
        return fb.Size(shape)

    def inverse_shape(self, shape: Sequence[int]) -> fb.Size:
        """The shape of the input of an output of a shape."""
        return fb.Size(shape)

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class ParameterlessTransform(Transform):
    """A transform without parameters: all of the class are equal."""

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self)

    __hash__ = None


class _InverseTransform(Transform):
    """A transform the other way round."""

    def __init__(self, transform: Transform) -> None:
        super().__init__(cache_size=transform._cache_size)
        self._forward = transform

    @constraints.dependent_property(is_discrete=False)
    def domain(self) -> Constraint:
        return self._forward.codomain

    @constraints.dependent_property(is_discrete=False)
    def codomain(self) -> Constraint:
        return self._forward.domain

    @property
    def bijective(self) -> bool:  # type: ignore[override]
        return self._forward.bijective

    @property
    def sign(self) -> Any:
        return self._forward.sign

    @property
    def inv(self) -> Transform:
        return self._forward

    def with_cache(self, cache_size: int = 1) -> Transform:
        return self._forward.with_cache(cache_size).inv

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _InverseTransform) and self._forward == other._forward

    __hash__ = None

    def __call__(self, x: Tensor) -> Tensor:
        return self._forward._inv_call(x)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return -self._forward.log_abs_det_jacobian(y, x)

    def forward_shape(self, shape: Sequence[int]) -> fb.Size:
        return self._forward.inverse_shape(shape)

    def inverse_shape(self, shape: Sequence[int]) -> fb.Size:
        return self._forward.forward_shape(shape)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._forward!r})"


class ComposeTransform(Transform):
    """Transforms one after the other, the first one first."""

    def __init__(self, parts: Sequence[Transform], cache_size: int = 0) -> None:
        if cache_size:
            parts = [part.with_cache(cache_size) for part in parts]
        super().__init__(cache_size=cache_size)
        self.parts = list(parts)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ComposeTransform) and self.parts == other.parts

    __hash__ = None

    @constraints.dependent_property(is_discrete=False)
    def domain(self) -> Constraint:
        if not self.parts:
            return constraints.real
        first = self.parts[0].domain
        event_dim = self.parts[-1].codomain.event_dim
        for part in reversed(self.parts):
            event_dim += part.domain.event_dim - part.codomain.event_dim
            event_dim = max(event_dim, part.domain.event_dim)
        return _widened(first, event_dim)

    @constraints.dependent_property(is_discrete=False)
    def codomain(self) -> Constraint:
        if not self.parts:
            return constraints.real
        last = self.parts[-1].codomain
        event_dim = self.parts[0].domain.event_dim
        for part in self.parts:
            event_dim += part.codomain.event_dim - part.domain.event_dim
            event_dim = max(event_dim, part.codomain.event_dim)
        return _widened(last, event_dim)

    @property
    def bijective(self) -> bool:  # type: ignore[override]
        return all(part.bijective for part in self.parts)

    @property
    def sign(self) -> Any:
        sign: Any = 1
        for part in self.parts:
            sign = sign * part.sign
        return sign

    @property
    def inv(self) -> Transform:
        inverse = None if self._inv is None else self._inv()
        if inverse is None:
            inverse = ComposeTransform([part.inv for part in reversed(self.parts)])
            self._inv = weakref.ref(inverse)
            inverse._inv = weakref.ref(self)
        return inverse

    def with_cache(self, cache_size: int = 1) -> Transform:
        if self._cache_size == cache_size:
            return self
        return ComposeTransform(self.parts, cache_size=cache_size)

    def __call__(self, x: Tensor) -> Tensor:
        for part in self.parts:
            x = part(x)
        return x

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        if not self.parts:
            return fb.zeros_like(x)
        inputs = [x]
        for part in self.parts[:-1]:
            inputs.append(part(inputs[-1]))
        outputs = [*inputs[1:], y]
        event_dim = self.domain.event_dim
        total: Any = 0
        for part, before, after in zip(self.parts, inputs, outputs):
            term = part.log_abs_det_jacobian(before, after)
            total = total + sum_rightmost(term, event_dim - part.domain.event_dim)
            event_dim += part.codomain.event_dim - part.domain.event_dim
        return total

    def forward_shape(self, shape: Sequence[int]) -> fb.Size:
        for part in self.parts:
            shape = part.forward_shape(shape)
        return fb.Size(shape)

    def inverse_shape(self, shape: Sequence[int]) -> fb.Size:
        for part in reversed(self.parts):
            shape = part.inverse_shape(shape)
        return fb.Size(shape)

    def __repr__(self) -> str:
        parts = ",\n    ".join(repr(part) for part in self.parts)
        return f"{type(self).__name__}(\n    {parts}\n)"


def _widened(constraint: Constraint, event_dim: int) -> Constraint:
    """The constraint with as many event dimensions."""
    more = event_dim - constraint.event_dim
    return constraints.independent(constraint, more) if more > 0 else constraint


identity_transform = ComposeTransform([])
