"""The errors of device types that nobody serves."""

from __future__ import annotations

from collections.abc import Iterable

# Device types of PyTorch's own, whose names programs use with or without a backend here.
FAMILIAR = (
    "cpu",
    "cuda",
    "ipu",
    "xpu",
    "mkldnn",
    "opengl",
    "opencl",
    "ideep",
    "hip",
    "ve",
    "fpga",
    "maia",
    "xla",
    "lazy",
    "vulkan",
    "mps",
    "meta",
    "hpu",
    "mtia",
    "privateuseone",
)

ADVICE = {"cuda": "pip install flambeau-cuda or flambeau-cupy"}


class DeviceNotServed(RuntimeError, AssertionError):
    """A known device type without a backend.

    PyTorch raises AssertionError here and RuntimeError elsewhere for missing devices; programs
    that catch either keep working.
    """


def not_served(device_type: str, installed: Iterable[str]) -> RuntimeError:
    if device_type in FAMILIAR:
        advice = ADVICE.get(device_type, "install a plugin that does")
        return DeviceNotServed(f"no backend serves the device type {device_type!r}: {advice}")
    others = sorted(set(installed) - set(FAMILIAR))
    expected = ", ".join([*FAMILIAR, *others])
    return RuntimeError(
        f"Expected one of {expected} device type at start of device string: {device_type}"
    )
