"""Transforms from unconstrained numbers into constraints.

`biject_to` gives bijections, for instance to sample a constrained variable in an unconstrained
space; `transform_to` gives whatever is good for optimization, which may use more numbers than
needed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, overload

from . import constraints, transforms
from .constraints import Constraint
from .transforms import Transform

Factory = Callable[[Any], Transform]
F = TypeVar("F", bound=Factory)


class ConstraintRegistry:
    """Maps types of constraints to functions that make a transform to one of them."""

    def __init__(self) -> None:
        self._registry: dict[type[Constraint], Factory] = {}

    @overload
    def register(self, constraint: Constraint | type[Constraint], factory: F) -> F: ...
    @overload
    def register(
        self, constraint: Constraint | type[Constraint], factory: None = None
    ) -> Callable[[F], F]: ...
    def register(
        self, constraint: Constraint | type[Constraint], factory: F | None = None
    ) -> F | Callable[[F], F]:
        """Name the function that makes transforms to a type of constraints.

        Without ``factory`` this is a decorator. An instance stands for its type.

        Raises:
            TypeError: ``constraint`` is neither a constraint nor a type of constraints.
        """
        if factory is None:
            return lambda decorated: self.register(constraint, decorated)
        kind = type(constraint) if isinstance(constraint, Constraint) else constraint
        if not (isinstance(kind, type) and issubclass(kind, Constraint)):
            raise TypeError(
                f"constraint must be a Constraint or a subclass of it, but got {constraint!r}"
            )
        self._registry[kind] = factory
        return factory

    def __call__(self, constraint: Constraint) -> Transform:
        """A transform to the constraint.

        Raises:
            NotImplementedError: none is registered for its type.
        """
        factory = self._registry.get(type(constraint))
        if factory is None:
            raise NotImplementedError(
                f"no transform is registered to constraints of the type {type(constraint).__name__}"
            )
        return factory(constraint)


biject_to = ConstraintRegistry()
transform_to = ConstraintRegistry()


def _both(constraint: Constraint | type[Constraint]) -> Callable[[F], F]:
    """Register one function with both registries."""

    def register(factory: F) -> F:
        biject_to.register(constraint, factory)
        transform_to.register(constraint, factory)
        return factory

    return register


@_both(constraints.real)
def _to_real(constraint: Any) -> Transform:
    return transforms.identity_transform


@biject_to.register(constraints.independent)
def _biject_to_independent(constraint: Any) -> Transform:
    return transforms.IndependentTransform(
        biject_to(constraint.base_constraint), constraint.reinterpreted_batch_ndims
    )


@transform_to.register(constraints.independent)
def _transform_to_independent(constraint: Any) -> Transform:
    return transforms.IndependentTransform(
        transform_to(constraint.base_constraint), constraint.reinterpreted_batch_ndims
    )


@_both(constraints.greater_than)
@_both(constraints.greater_than_eq)
def _to_greater(constraint: Any) -> Transform:
    shift = transforms.AffineTransform(constraint.lower_bound, 1)
    return transforms.ComposeTransform([transforms.ExpTransform(), shift])


@_both(constraints.less_than)
def _to_less(constraint: Any) -> Transform:
    mirror = transforms.AffineTransform(constraint.upper_bound, -1)
    return transforms.ComposeTransform([transforms.ExpTransform(), mirror])


@_both(constraints.interval)
@_both(constraints.half_open_interval)
def _to_interval(constraint: Any) -> Transform:
    low, high = constraint.lower_bound, constraint.upper_bound
    # Bounds may be tensors, whose comparison would not be one truth value.
    if isinstance(low, (int, float)) and isinstance(high, (int, float)) and (low, high) == (0, 1):
        return transforms.SigmoidTransform()
    stretch = transforms.AffineTransform(low, high - low)
    return transforms.ComposeTransform([transforms.SigmoidTransform(), stretch])


@biject_to.register(constraints.simplex)
def _biject_to_simplex(constraint: Any) -> Transform:
    return transforms.StickBreakingTransform()


@transform_to.register(constraints.simplex)
def _transform_to_simplex(constraint: Any) -> Transform:
    return transforms.SoftmaxTransform()


@transform_to.register(constraints.lower_cholesky)
def _transform_to_lower_cholesky(constraint: Any) -> Transform:
    return transforms.LowerCholeskyTransform()


@transform_to.register(constraints.positive_definite)
@transform_to.register(constraints.positive_semidefinite)
def _transform_to_positive_definite(constraint: Any) -> Transform:
    return transforms.PositiveDefiniteTransform()


@_both(constraints.corr_cholesky)
def _to_corr_cholesky(constraint: Any) -> Transform:
    return transforms.CorrCholeskyTransform()


@biject_to.register(constraints.cat)
def _biject_to_cat(constraint: Any) -> Transform:
    parts = [biject_to(c) for c in constraint.cseq]
    return transforms.CatTransform(parts, constraint.dim, constraint.lengths)


@transform_to.register(constraints.cat)
def _transform_to_cat(constraint: Any) -> Transform:
    parts = [transform_to(c) for c in constraint.cseq]
    return transforms.CatTransform(parts, constraint.dim, constraint.lengths)


@biject_to.register(constraints.stack)
def _biject_to_stack(constraint: Any) -> Transform:
    return transforms.StackTransform([biject_to(c) for c in constraint.cseq], constraint.dim)


@transform_to.register(constraints.stack)
def _transform_to_stack(constraint: Any) -> Transform:
    return transforms.StackTransform([transform_to(c) for c in constraint.cseq], constraint.dim)


__all__ = ["ConstraintRegistry", "biject_to", "transform_to"]
