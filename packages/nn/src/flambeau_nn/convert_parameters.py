"""All parameters as one vector, and back."""

from __future__ import annotations

from collections.abc import Iterable

import flambeau_core as fb
from flambeau_core import Tensor

__all__ = ["parameters_to_vector", "vector_to_parameters"]


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """The parameters one after the other, flattened, as one vector.

    Raises TypeError when they are on different devices.
    """
    listed = list(parameters)
    _check_one_device(listed)
    return fb.cat([parameter.reshape(-1) for parameter in listed])


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Sets the parameters to consecutive pieces of a vector, which they then share memory with."""
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {type(vec)}")
    listed = list(parameters)
    _check_one_device(listed)
    start = 0
    for parameter in listed:
        end = start + parameter.numel()
        parameter.data = vec[start:end].view_as(parameter).data
        start = end


def _check_one_device(parameters: list[Tensor]) -> None:
    devices = {str(parameter.device) for parameter in parameters}
    if len(devices) > 1:
        raise TypeError(
            "Found two parameters on different devices, this is currently not supported."
        )
