"""Tensors in ``pickle`` and ``copy.deepcopy``: what the methods of Tensor call."""

from __future__ import annotations

from typing import Any

import flambeau_core as fb


def dtype_by_name(name: str) -> Any:
    """What pickles of dtypes call: ``flambeau_core.float32`` for ``"float32"``."""
    return getattr(fb, name)


def reduce_tensor(tensor: Any) -> tuple[Any, ...]:
    """The answer of ``Tensor.__reduce_ex__``: a contiguous copy of the values.

    Raises:
        RuntimeError: the tensor requires grad and is no leaf.
    """
    refuse_non_leaf(tensor, "pickled")
    contiguous = tensor.detach().cpu().contiguous()
    offset = contiguous.storage_offset() * contiguous.dtype.itemsize
    nbytes = contiguous.numel() * contiguous.dtype.itemsize
    data = bytes(memoryview(contiguous._storage_bytes()).cast("B")[offset : offset + nbytes])
    cls = type(tensor)
    return rebuild_tensor, (
        data,
        str(tensor.dtype).rpartition(".")[2],
        tuple(tensor.shape),
        tensor.requires_grad,
        None if cls is fb.Tensor else cls,
        None if tensor.device.type == "cpu" else str(tensor.device),
        getattr(tensor, "__dict__", None) or None,
    )


def rebuild_tensor(
    data: bytes,
    dtype: str,
    shape: tuple[int, ...],
    requires_grad: bool,
    cls: type | None = None,
    device: str | None = None,
    state: dict[str, Any] | None = None,
) -> Any:
    """A tensor with memory of its own from the bytes of its values in row-major order."""
    tensor = fb._C.tensor_from_bytes(
        data, dtype_by_name(dtype), shape, contiguous_strides(shape), 0
    )
    if device is not None:
        tensor = tensor.to(fb.device(device))
    return finish(tensor, requires_grad, cls, state)


def finish(tensor: Any, requires_grad: bool, cls: type | None, state: Any) -> Any:
    if cls is not None:
        tensor = fb.Tensor._make_subclass(cls, tensor, requires_grad)
    elif requires_grad:
        tensor.requires_grad_()
    if state:
        tensor.__dict__.update(state)
    return tensor


def deepcopy_tensor(tensor: Any, memo: dict[Any, Any]) -> Any:
    """The answer of ``Tensor.__deepcopy__``; tensors that share memory share it in the copy.

    Raises:
        RuntimeError: the tensor requires grad and is no leaf.
    """
    from copy import deepcopy

    if id(tensor) in memo:
        return memo[id(tensor)]
    refuse_non_leaf(tensor, "copied with deepcopy")
    cls = type(tensor)
    copied = finish(
        copied_storage(tensor, memo),
        tensor.requires_grad,
        None if cls is fb.Tensor else cls,
        deepcopy(getattr(tensor, "__dict__", None), memo),
    )
    memo[id(tensor)] = copied
    if tensor.grad is not None:
        copied.grad = deepcopy(tensor.grad, memo)
    return copied


def copied_storage(tensor: Any, memo: dict[Any, Any]) -> Any:
    """The same view of a copy of the whole storage, made once for each memo."""
    plain = tensor.detach()
    if tensor.device.type != "cpu":
        return plain.clone()
    key = ("storage", tensor._storage_key())
    if key not in memo:
        count = memoryview(tensor._storage_bytes()).nbytes // tensor.dtype.itemsize
        memo[key] = plain.as_strided((count,), (1,), 0).clone()
    owner = memo[key]
    if owner.dtype != tensor.dtype:
        owner = owner.view(tensor.dtype)
    return owner.as_strided(tuple(tensor.shape), tensor.stride(), tensor.storage_offset())


def contiguous_strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    strides = []
    step = 1
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)
    return tuple(reversed(strides))


def refuse_non_leaf(tensor: Any, action: str) -> None:
    if not tensor.is_leaf:
        raise RuntimeError(
            f"a tensor that autograd computed cannot be {action}: only leaf tensors can, "
            f"take its detach() first"
        )
