"""The chi-squared distribution."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flambeau_core import Tensor

from . import constraints
from .broadcasting import Parameter
from .distribution import Shape
from .gamma import Gamma

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Chi2"]


class Chi2(Gamma):
    """The sum of ``df`` squared standard normal variables: a gamma distribution."""

    arg_constraints = {"df": constraints.positive}

    def __init__(self, df: Parameter, validate_args: bool | None = None) -> None:
        super().__init__(0.5 * df, 0.5, validate_args=validate_args)

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Self:
        return super().expand(batch_shape, self._get_checked_instance(Chi2, _instance))

    @property
    def df(self) -> Tensor:
        """The degrees of freedom."""
        return 2 * self.concentration
