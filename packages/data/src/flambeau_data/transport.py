"""How a batch travels from a worker process: tensors by shared memory, the rest pickled.

Worker and loader keep a few shared segments mapped and use them in turn, so that no batch pays for
fresh pages. A segment is an anonymous file, handed over as a descriptor: it has no name to leak
when a process is killed, and it does not count against the size of ``/dev/shm``.
"""

from __future__ import annotations

import io
import mmap
import os
import pickle
import sys
import tempfile
import warnings
from dataclasses import dataclass
from multiprocessing import reduction
from multiprocessing.connection import Connection
from typing import Any

import flambeau_core as fb

# Below this size a buffer or pickle costs less in the message than beside it. Tensors are always
# set aside, since pickling one costs more than copying it.
SHARED_FROM_BYTES = 8192
_ALIGNMENT = 64
_CAN_SHARE = hasattr(os, "posix_fallocate") and hasattr(reduction, "send_handle")


@dataclass(frozen=True)
class Message:
    """A pickled value, and where in segment ``slot`` its large parts lie (offset, size)."""

    pickled: bytes | tuple[int, int]
    slot: int
    buffers: tuple[tuple[int, int], ...]  # what NumPy and others hand out beside their pickle
    new_segment: int  # the size of the segment whose descriptor follows, 0 if none does

    @property
    def is_small(self) -> bool:
        """Whether it fits into the buffer of a socket that is ready to be written to."""
        return isinstance(self.pickled, tuple) or len(self.pickled) < SHARED_FROM_BYTES


class BatchSender:
    """The worker's end: :meth:`pack` copies a value into shared memory, :meth:`send` sends it.

    The two may run in different threads. A slot is free again when the loader has taken the value
    out, which the caller knows.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._segments: dict[int, mmap.mmap] = {}
        self._share = _CAN_SHARE

    def pack(self, value: Any, slot: int) -> tuple[Message, int | None]:
        """The message, and the descriptor of a new segment if there is one.

        Raises:
            whatever pickling ``value`` raises.
        """
        pickler = _Pickler(self._share)
        pickled = pickler.pickle(value)
        descriptor = None
        if pickler.size > len(self._segments.get(slot, b"")):
            try:
                descriptor = self._enlarge(slot, pickler.size)
            except OSError as error:
                self._do_without_sharing(error)
                return self.pack(value, slot)
        segment: Any = self._segments.get(slot)
        for view, offset in (*pickler.tensors, *pickler.buffers):
            segment[offset : offset + view.nbytes] = view
        places = [(offset, view.nbytes) for view, offset in pickler.buffers]
        new_size = len(segment) if descriptor is not None else 0
        if pickled is None:
            return Message(places[-1], slot, tuple(places[:-1]), new_size), descriptor
        return Message(pickled, slot, tuple(places), new_size), descriptor

    def _enlarge(self, slot: int, size: int) -> int:
        size = _rounded(size)
        descriptor = _new_segment(size)
        try:
            self._segments[slot] = mmap.mmap(descriptor, size)
        except OSError:
            os.close(descriptor)
            raise
        return descriptor

    def _do_without_sharing(self, error: OSError) -> None:
        self._share = False
        warnings.warn(
            f"out of shared memory ({error}): this worker now sends its batches through a pipe, "
            "which is slower. Smaller batches, fewer workers or a smaller prefetch_factor need "
            "less",
            stacklevel=3,
        )

    def send(self, message: Message, descriptor: int | None) -> None:
        """Send what :meth:`pack` returned.

        Raises:
            OSError: the loader has hung up.
        """
        try:
            self._connection.send(message)
            if descriptor is not None:
                reduction.send_handle(self._connection, descriptor, os.getppid())
        finally:
            if descriptor is not None:
                os.close(descriptor)


class BatchReceiver:
    """The loader's end: :meth:`read` takes a message, :meth:`unpack` copies the value out of it.

    After that the message's slot may be used again.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._segments: dict[int, mmap.mmap] = {}

    def read(self) -> tuple[Message, int | None]:
        """The next message, and the descriptor of a new segment if there is one.

        Raises:
            EOFError, OSError: the worker has died.
        """
        message: Message = self._connection.recv()
        if not message.new_segment:
            return message, None
        return message, reduction.recv_handle(self._connection)

    def unpack(self, message: Message, descriptor: int | None) -> Any:
        """The value in what :meth:`read` returned; raises what unpickling it raises."""
        if descriptor is not None:
            try:
                self._segments[message.slot] = mmap.mmap(descriptor, message.new_segment)
            finally:
                os.close(descriptor)
        segment: Any = self._segments.get(message.slot)
        buffers = [bytearray(segment[at : at + size]) for at, size in message.buffers]
        pickled = message.pickled
        if isinstance(pickled, tuple):
            at, size = pickled
            pickled = segment[at : at + size]
        return _Unpickler(pickled, segment, buffers).load()


class _Pickler(pickle.Pickler):
    """With ``share``, sets tensors and large buffers aside and notes the offset each will have."""

    def __init__(self, share: bool) -> None:
        self._share = share
        self._threshold = SHARED_FROM_BYTES if share else sys.maxsize
        self._file = io.BytesIO()
        super().__init__(
            self._file, pickle.HIGHEST_PROTOCOL, buffer_callback=self._keep_buffer_in_stream
        )
        self.tensors: list[tuple[memoryview, int]] = []
        self._kept: list[Any] = []  # whose memory the views above show
        self.buffers: list[tuple[memoryview, int]] = []
        self.size = 0

    def pickle(self, value: Any) -> bytes | None:
        """The pickle of ``value``; None if it is large itself, and then the last of the buffers."""
        self.dump(value)
        if self._file.tell() < self._threshold:
            return self._file.getvalue()
        view = self._file.getbuffer()
        self.buffers.append((view, self._place(view.nbytes)))
        return None

    def _place(self, size: int) -> int:
        offset = self.size
        self.size += -(-size // _ALIGNMENT) * _ALIGNMENT
        return offset

    def reducer_override(self, value: Any) -> Any:
        if type(value) is not fb.Tensor or not self._share:
            return NotImplemented
        if value.numel() == 0 or value.requires_grad or value.device.type != "cpu":
            return NotImplemented
        contiguous = value.contiguous()
        self._kept.append(contiguous)
        view = _bytes_of(contiguous)
        offset = self._place(view.nbytes)
        self.tensors.append((view, offset))
        return shared_tensor, (offset, view.nbytes, value.dtype, tuple(value.shape))

    def _keep_buffer_in_stream(self, buffer: Any) -> bool:
        view = buffer.raw()
        if view.nbytes < self._threshold:
            return True
        self.buffers.append((view, self._place(view.nbytes)))
        return False


class _Unpickler(pickle.Unpickler):
    """Builds the tensors that :func:`shared_tensor` stands for."""

    def __init__(self, pickled: bytes, segment: mmap.mmap | None, buffers: list[bytearray]) -> None:
        super().__init__(io.BytesIO(pickled), buffers=buffers)
        self._segment = segment

    def find_class(self, module: str, name: str) -> Any:
        if module == __name__ and name == shared_tensor.__name__:
            return self._copy_out
        return super().find_class(module, name)

    def _copy_out(self, offset: int, size: int, dtype: Any, shape: tuple[int, ...]) -> Any:
        assert self._segment is not None
        with memoryview(self._segment) as whole:
            return _tensor_of(whole[offset : offset + size], dtype, shape)


def shared_tensor(offset: int, size: int, dtype: Any, shape: tuple[int, ...]) -> Any:
    """Stands in a pickled message for a tensor whose bytes lie in its segment."""
    raise pickle.UnpicklingError("this message can only be read together with its shared memory")


# What core's own serialisation is made of.


def _bytes_of(tensor: Any) -> memoryview:
    """The memory of a contiguous tensor, which must be kept alive meanwhile."""
    start = tensor.storage_offset() * tensor.element_size()
    memory = memoryview(tensor._storage_bytes()).cast("B")
    return memory[start : start + tensor.numel() * tensor.element_size()]


def _tensor_of(data: memoryview, dtype: Any, shape: tuple[int, ...]) -> Any:
    """A tensor with a copy of ``data``."""
    strides = [1] * len(shape)
    for dim in range(len(shape) - 1, 0, -1):
        strides[dim - 1] = strides[dim] * shape[dim]
    return fb._C.tensor_from_bytes(data, dtype, shape, strides, 0)


def _rounded(size: int) -> int:
    """Whole pages with a little room, since batches of text or ragged data differ in size."""
    return -(-(size + size // 8) // mmap.PAGESIZE) * mmap.PAGESIZE


def _new_segment(size: int) -> int:
    """The descriptor of a new anonymous file, its memory allocated: an error here, no crash later.

    Raises:
        OSError: there is no memory left, or no descriptor.
    """
    if hasattr(os, "memfd_create"):
        descriptor = os.memfd_create("flambeau-data", os.MFD_CLOEXEC)
    else:
        with tempfile.TemporaryFile() as file:
            descriptor = os.dup(file.fileno())
    try:
        os.posix_fallocate(descriptor, 0, size)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor
