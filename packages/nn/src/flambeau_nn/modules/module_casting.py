"""Moving a module to another device or dtype, and other changes of all its tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import flambeau_core as fb
from flambeau_core import Tensor

from ..parameter import Parameter

if TYPE_CHECKING:
    from typing_extensions import Self

    from .module import Module

__all__ = ["ModuleCasting"]


class ModuleCasting:
    """The part of a module that changes the device, dtype or gradients of all its tensors.

    Parameters stay the same objects, so that an optimizer keeps its hold on them.
    """

    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        """Replaces every parameter, gradient and buffer by what `fn` makes of it."""
        if recurse:
            for child in self.children():  # type: ignore[attr-defined]
                child._apply(fn)
        for parameter in self._parameters.values():
            if parameter is None:
                continue
            grad = parameter.grad
            with fb.no_grad():
                changed = fn(parameter)
                changed_grad = None if grad is None else fn(grad).requires_grad_(grad.requires_grad)
            parameter.grad = None
            parameter.data = changed
            parameter.grad = changed_grad
        for name, buffer in self._buffers.items():
            if buffer is not None:
                self._buffers[name] = fn(buffer)
        return self

    def to(self, *args: Any, **kwargs: Any) -> Self:
        """Moves and casts parameters and buffers: `to(device)`, `to(dtype)`, `to(device, dtype)`,
        `to(tensor)`, each with `non_blocking`.

        Only floating-point (and complex) tensors take the dtype; TypeError for another dtype.
        """
        device, dtype, non_blocking = _parse_to(*args, **kwargs)
        if dtype is not None and not (dtype.is_floating_point or dtype.is_complex):
            raise TypeError(
                "nn.Module.to only accepts floating point or complex dtypes, but got desired "
                f"dtype={dtype}"
            )

        def move(tensor: Tensor) -> Tensor:
            cast = dtype if tensor.is_floating_point() or tensor.is_complex() else None
            if cast is None:
                return tensor if device is None else tensor.to(device, non_blocking=non_blocking)
            return tensor.to(tensor.device if device is None else device, cast, non_blocking)

        return self._apply(move)

    def to_empty(self, *, device: Any, recurse: bool = True) -> Self:
        """Moves to a device without copying: the values there are undefined."""
        return self._apply(lambda tensor: fb.empty_like(tensor, device=device), recurse=recurse)

    def type(self, dst_type: Any) -> Self:
        """Casts every parameter and buffer, whatever its dtype."""
        return self._apply(lambda tensor: tensor.type(dst_type))

    def float(self) -> Self:
        """Casts floating-point tensors to float32."""
        return self._cast(fb.float32)

    def double(self) -> Self:
        """Casts floating-point tensors to float64."""
        return self._cast(fb.float64)

    def half(self) -> Self:
        """Casts floating-point tensors to float16."""
        return self._cast(fb.float16)

    def bfloat16(self) -> Self:
        """Casts floating-point tensors to bfloat16."""
        return self._cast(fb.bfloat16)

    def _cast(self, dtype: Any) -> Self:
        return self._apply(
            lambda tensor: tensor.to(dtype) if tensor.is_floating_point() else tensor
        )

    def cpu(self) -> Self:
        """Moves to the CPU."""
        return self._apply(lambda tensor: tensor.cpu())

    def cuda(self, device: Any = None) -> Self:
        """Moves to a CUDA device, the current one by default."""
        return self._apply(lambda tensor: tensor.cuda(device))

    def share_memory(self) -> Self:
        """Moves parameters and buffers into memory that other processes see."""
        return self._apply(lambda tensor: tensor.share_memory_())

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Lets autograd record, or not, operations on the parameters."""
        for parameter in self.parameters():  # type: ignore[attr-defined]
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Drops the gradients of all parameters, or fills them with zeros."""
        for parameter in self.parameters():  # type: ignore[attr-defined]
            grad = parameter.grad
            if grad is None:
                continue
            if set_to_none:
                parameter.grad = None
            else:
                if grad.grad_fn is not None:
                    grad.detach_()
                else:
                    grad.requires_grad_(False)
                grad.zero_()

    def apply(self, fn: Callable[[Module], None]) -> Self:
        """Calls `fn` on every submodule, children first, and on the module itself."""
        for child in self.children():  # type: ignore[attr-defined]
            child.apply(fn)
        fn(self)  # type: ignore[arg-type]
        return self


def _parse_to(
    *args: Any,
    device: Any = None,
    dtype: Any = None,
    non_blocking: bool = False,
    tensor: Tensor | None = None,
    memory_format: Any = None,
) -> tuple[Any, Any, bool]:
    """Device, dtype and `non_blocking` out of the arguments that `Tensor.to` takes.

    A memory format is accepted and not applied: parameters stay as they lie.
    """
    rest = list(args)
    if rest and isinstance(rest[0], Tensor):
        tensor = rest.pop(0)
    if tensor is not None:
        device, dtype = tensor.device, tensor.dtype
    elif rest and (rest[0] is None or isinstance(rest[0], (str, int, fb.device))):
        device = rest.pop(0)
    if rest and isinstance(rest[0], fb.dtype):
        dtype = rest.pop(0)
    if rest and isinstance(rest[0], bool):
        non_blocking = rest.pop(0)
    if len(rest) > 1 or (rest and not isinstance(rest[0], bool)):
        raise TypeError(f"to() received an invalid combination of arguments - got {args}")
    return (None if device is None else fb.device(device)), dtype, non_blocking
