"""The base class of all distributions."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import flambeau_core as fb
from flambeau_core import Tensor

from . import constraints
from .constraints import Constraint
from .lazy_property import lazy_property

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Distribution"]

Shape: TypeAlias = Sequence[int]


class Distribution:
    """Probability distributions over tensors, a batch of them in one object.

    A sample has the shape ``sample_shape + batch_shape + event_shape``: the distributions of a
    batch are independent of one another, and an event is what one of them yields.

    Args:
        batch_shape, event_shape: as above.
        validate_args: check parameters here and values in `log_prob`; by default as
            `set_default_validate_args` says, which starts as Python's ``__debug__``.

    Raises:
        ValueError: a parameter lies outside of the constraint in ``arg_constraints``.
    """

    has_rsample = False
    has_enumerate_support = False
    _validate_args = __debug__

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        """Whether distributions made from now on check their arguments."""
        if value not in (True, False):
            raise ValueError(f"validate_args must be True or False, but got {value!r}")
        Distribution._validate_args = value

    def __init__(
        self,
        batch_shape: Shape = (),
        event_shape: Shape = (),
        validate_args: bool | None = None,
    ) -> None:
        self._batch_shape = fb.Size(batch_shape)
        self._event_shape = fb.Size(event_shape)
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args:
            self._validate_parameters()
        super().__init__()

    def _validate_parameters(self) -> None:
        try:
            arg_constraints = self.arg_constraints
        except NotImplementedError:
            warnings.warn(
                f"{type(self).__name__} has no arg_constraints: set arg_constraints = {{}} or "
                "pass validate_args=False",
                stacklevel=4,
            )
            return
        for name, constraint in arg_constraints.items():
            if constraints.is_dependent(constraint):
                continue
            if name not in self.__dict__ and isinstance(
                getattr(type(self), name, None), lazy_property
            ):
                continue  # derived from another parameter, which is checked
            value = getattr(self, name)
            if not constraint.check(value).all():
                raise ValueError(
                    f"parameter {name} of {self!r}, a tensor of the shape {tuple(value.shape)}, "
                    f"must satisfy the constraint {constraint!r}, but its values are\n{value}"
                )

    # Shapes

    @property
    def batch_shape(self) -> fb.Size:
        """The shape of the batch of distributions."""
        return self._batch_shape

    @property
    def event_shape(self) -> fb.Size:
        """The shape of one draw from one distribution."""
        return self._event_shape

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Self:
        """The distribution with its parameters expanded to another batch shape.

        Raises:
            NotImplementedError: the class, or a subclass with its own constructor, has none.
        """
        raise NotImplementedError

    def _expanded(
        self, owner: type, batch_shape: Shape, instance: Any, names: Sequence[str]
    ) -> Self:
        """What `expand` of the class ``owner`` returns, where these are its parameters.

        One of probs and logits may be absent. ``instance`` is the object that a subclass has made
        to be filled in.
        """
        new = self._get_checked_instance(owner, instance)
        batch_shape = fb.Size(batch_shape)
        for name in names:
            if name in self.__dict__:
                value = self.__dict__[name]
                own_shape = value.shape[len(self._batch_shape) :]
                setattr(new, name, value.expand(batch_shape + own_shape))
        Distribution.__init__(new, batch_shape, self._event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    def _get_checked_instance(self, owner: type, instance: Any = None) -> Self:
        """An object of this one's type to be filled by `expand` of the class ``owner``.

        Raises:
            NotImplementedError: the type has a constructor of its own, but not `expand`.
        """
        if instance is not None:
            return instance
        if type(self).__init__ is not owner.__init__:  # type: ignore[misc]
            raise NotImplementedError(
                f"{type(self).__name__}, a subclass of {owner.__name__} with a constructor of its "
                "own, must define expand() too"
            )
        return type(self).__new__(type(self))

    def _extended_shape(self, sample_shape: Shape = ()) -> fb.Size:
        """The shape of what `sample` returns."""
        return fb.Size(sample_shape) + self._batch_shape + self._event_shape

    # What a family defines

    @property
    def arg_constraints(self) -> dict[str, Constraint]:
        """The constraints of the parameters by their names."""
        raise NotImplementedError

    @property
    def support(self) -> Constraint | None:
        """The constraint that every sample satisfies."""
        raise NotImplementedError

    @property
    def mean(self) -> Tensor:
        """The mean, of the shape ``batch_shape + event_shape``."""
        raise NotImplementedError

    @property
    def mode(self) -> Tensor:
        """The most probable value, of the shape ``batch_shape + event_shape``."""
        raise NotImplementedError(f"{type(self).__name__} does not implement mode")

    @property
    def variance(self) -> Tensor:
        """The variance of every element, of the shape ``batch_shape + event_shape``."""
        raise NotImplementedError

    @property
    def stddev(self) -> Tensor:
        """The square root of the variance."""
        return self.variance.sqrt()

    def sample(self, sample_shape: Shape = ()) -> Tensor:
        """Draw values, without a gradient: ``sample_shape + batch_shape + event_shape``."""
        with fb.no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        """Draw values as differentiable functions of the parameters, if ``has_rsample``.

        Raises:
            NotImplementedError: the family has no such function.
        """
        raise NotImplementedError

    def sample_n(self, n: int) -> Tensor:
        """``sample((n,))``, as older programs write it."""
        warnings.warn("sample_n is deprecated: use sample((n,))", UserWarning, stacklevel=2)
        return self.sample((n,))

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the density or probability of values.

        Args:
            value: a shape that broadcasts with ``batch_shape + event_shape``.

        Raises:
            ValueError: a value outside of the support, or another shape.
        """
        raise NotImplementedError

    def cdf(self, value: Tensor) -> Tensor:
        """The probability of a sample at or below ``value``."""
        raise NotImplementedError

    def icdf(self, value: Tensor) -> Tensor:
        """The number below which a sample falls with the probability ``value``."""
        raise NotImplementedError

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """All values of a discrete distribution along a new first dimension.

        With ``expand=False`` the batch dimensions have the size 1.
        """
        raise NotImplementedError

    def entropy(self) -> Tensor:
        """The entropy in nats, of the shape ``batch_shape``."""
        raise NotImplementedError

    def perplexity(self) -> Tensor:
        """The exponential of the entropy."""
        return self.entropy().exp()

    def _enumerated(self, values: Tensor, expand: bool) -> Tensor:
        """What `enumerate_support` returns of values ``(n, *event_shape)``, alike in the batch."""
        ones = (1,) * len(self._batch_shape)
        values = values.reshape((-1, *ones, *self._event_shape))
        if expand:
            values = values.expand((-1, *self._batch_shape, *self._event_shape))
        return values

    # Checks

    def _validate_sample(self, value: Any) -> None:
        """Raise ValueError unless a value fits the shapes and lies in the support."""
        if not isinstance(value, Tensor):
            raise ValueError(f"the value must be a Tensor, but got {type(value).__name__}")
        shape = value.shape
        if shape[len(shape) - len(self._event_shape) :] != self._event_shape:
            raise ValueError(
                f"the value's rightmost dimensions must be the event shape "
                f"{tuple(self._event_shape)}, but its shape is {tuple(shape)}"
            )
        full_shape = self._batch_shape + self._event_shape
        for size, expected in zip(reversed(shape), reversed(full_shape)):
            if size != 1 and expected != 1 and size != expected:
                raise ValueError(
                    f"the value's shape {tuple(shape)} does not broadcast with batch_shape + "
                    f"event_shape {tuple(full_shape)}"
                )
        try:
            support = self.support
        except NotImplementedError:
            warnings.warn(
                f"{type(self).__name__} has no support: values are not checked", stacklevel=3
            )
            return
        if support is None:
            raise AssertionError(f"{type(self).__name__}.support is None")
        if not support.check(value).all():
            raise ValueError(
                f"the value, a tensor of the shape {tuple(shape)}, must lie within the support "
                f"{support!r} of {self!r}, but its values are\n{value}"
            )

    def __repr__(self) -> str:
        names = [name for name in self.arg_constraints if name in self.__dict__]
        values = (self.__dict__[name] for name in names)
        shown = (value if value.numel() == 1 else value.shape for value in values)
        arguments = ", ".join(f"{name}: {text}" for name, text in zip(names, shown))
        return f"{type(self).__name__}({arguments})"
