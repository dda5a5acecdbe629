"""Which CUDA devices there are."""

from __future__ import annotations

from typing import Any

from flambeau_core import plugins

DEVICE_TYPE = "cuda"


def is_available() -> bool:
    """Whether a backend serves CUDA devices here. Opens no device."""
    return plugins.is_available(DEVICE_TYPE)


def is_initialized() -> bool:
    """Whether the backend was opened already."""
    return plugins.current_backend(DEVICE_TYPE) is not None


def device_count() -> int:
    """How many CUDA devices there are; 0 without a backend."""
    return plugins.device_count(DEVICE_TYPE) if is_available() else 0


def require() -> None:
    """Opens the backend.

    Raises:
        RuntimeError: there is none, or it cannot be used; also an AssertionError, as PyTorch
            raises, when none is installed.
    """
    plugins.open_device(DEVICE_TYPE)


init = require


def index_of(device: Any) -> int:
    """The index that a number, string or device object names, within the devices there are."""
    require()
    if device is None:
        return current_device()
    if isinstance(device, str):
        kind, _, number = device.partition(":")
        if kind != DEVICE_TYPE:
            raise ValueError(f"expected a cuda device, got {device!r}")
        index = int(number or 0)
    else:
        index = device if isinstance(device, int) else (device.index or 0)
    if not 0 <= index < device_count():
        raise RuntimeError(f"there is no device cuda:{index}: the backend has {device_count()}")
    return index


def current_device() -> int:
    """The device that ``"cuda"`` without an index means."""
    require()
    return 0


def set_device(device: Any) -> None:
    """Accepts the first device only: others are addressed by their index.

    Raises:
        RuntimeError: the device is another one, or there is none.
    """
    index = index_of(device)
    if index != 0:
        raise RuntimeError(f"the current device stays cuda:0: address the other as 'cuda:{index}'")


class device:
    """A ``with`` block with a current device; only the first can be current."""

    def __init__(self, device: Any) -> None:
        self.idx = -1 if device is None else device

    def __enter__(self) -> None:
        if self.idx != -1:
            set_device(self.idx)

    def __exit__(self, *exception: Any) -> None:
        return None


class device_of(device):
    """The device of a tensor; without effect for tensors elsewhere."""

    def __init__(self, obj: Any) -> None:
        super().__init__(obj.device.index or 0 if obj.device.type == DEVICE_TYPE else None)


def synchronize(device: Any = None) -> None:
    """Waits until everything asked of a device is done."""
    plugins.synchronize(DEVICE_TYPE, index_of(device))


def properties(device: Any, question: str) -> Any:
    """What the backend tells about a device, if it does."""
    index = index_of(device)
    answer = plugins.device_properties(DEVICE_TYPE, index)
    if answer is None:
        name = plugins.current_backend(DEVICE_TYPE)
        raise RuntimeError(f"the backend {name!r} does not tell the {question} of its devices")
    return answer


def get_device_properties(device: Any = None) -> Any:
    """What the backend tells about a device; RuntimeError where it tells nothing."""
    return properties(device, "properties")


def get_device_name(device: Any = None) -> str:
    """The name of a device; RuntimeError where the backend does not tell it."""
    return str(properties(device, "name").name)


def get_device_capability(device: Any = None) -> tuple[int, int]:
    """Major and minor compute capability; RuntimeError where the backend does not tell it."""
    found = properties(device, "compute capability")
    return found.major, found.minor


def get_arch_list() -> list[str]:
    """The architectures that core was compiled for: none, since backends are packages."""
    return []


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Whether bfloat16 can be used; without emulation, compute capability 8.0 is needed."""
    return is_available() and (including_emulation or get_device_capability() >= (8, 0))
