"""Flambeau's core: tensors, autograd, ops, devices.

Programs usually import the unified namespace, ``flambeau``; libraries and
plugins that want nothing else import this package.
"""

from __future__ import annotations

import builtins as _builtins
import importlib as _importlib
from math import e as e
from math import inf as inf
from math import nan as nan
from math import pi as pi
from typing import TYPE_CHECKING
from typing import Any as _Any

# Names given again by `as` are public to type checkers.
from . import _C
from . import composed as _composed  # declares its ops
from . import hooks as hooks
from . import layout as _layout
from . import overrides as overrides
from . import tensor_methods as _tensor_methods
from ._C import Size as Size
from ._C import Tensor as Tensor
from ._C import device as device
from ._C import dtype as dtype
from ._C import is_grad_enabled as is_grad_enabled
from .autograd.grad_mode import enable_grad as enable_grad
from .autograd.grad_mode import inference_mode as inference_mode
from .autograd.grad_mode import no_grad as no_grad
from .autograd.grad_mode import set_grad_enabled as set_grad_enabled
from .composed.broadcasting import broadcast_shapes as broadcast_shapes
from .layout import channels_last as channels_last
from .layout import channels_last_3d as channels_last_3d
from .layout import contiguous_format as contiguous_format
from .layout import memory_format as memory_format
from .layout import preserve_format as preserve_format
from .layout import sparse_bsc as sparse_bsc
from .layout import sparse_bsr as sparse_bsr
from .layout import sparse_coo as sparse_coo
from .layout import sparse_csc as sparse_csc
from .layout import sparse_csr as sparse_csr
from .layout import strided as strided
from .version import __version__ as __version__

if TYPE_CHECKING:
    from ._C import *  # noqa: F403

# What the extension offers to this package alone.
_INTERNAL = {
    "reaches_beyond",
    "set_dual",
    "intercepted",
    "reclassed",
    "attended",
    "attend",
    "API_VERSION",
    "GradContext",
    "Node",
    "autocast_get",
    "autocast_set",
    "borrows_kernel",
    "backward_has_inputs",
    "cached_bytes",
    "cpu_fallback",
    "current_backend",
    "current_backward",
    "declare",
    "device_count",
    "disable_saved_tensors_hooks",
    "empty_cache",
    "find_op",
    "gradient_node",
    "has_kernel",
    "increment_version",
    "install_backend",
    "installed_backends",
    "kernel_rows",
    "launch",
    "mark_inplace",
    "pop_saved_tensors_hooks",
    "push_saved_tensors_hooks",
    "record_function",
    "run_backward",
    "saved_tensors",
    "set_anomaly_mode",
    "set_composition",
    "set_cpu_fallback",
    "set_grad_mode",
    "stand_in",
    "synchronize",
    "tensor_from_bytes",
    "tensor_over",
    "use_backend",
    "will_execute",
}
globals().update(
    (name, value)
    for name, value in vars(_C).items()
    if not (name.startswith("_") or name in _INTERNAL)
)
layout = _layout.layout
newaxis = None

_tensor_methods.install()
overrides.install()

# ---- what is loaded on first use --------------------------------------------------

_SUBMODULES = {
    "amp",
    "autograd",
    "backends",
    "cuda",
    "linalg",
    "fft",
    "masked",
    "nn_ops",
    "optim_ops",
    "plugins",
    "random",
    "return_types",
    "serialization",
    "signal",
    "special",
}
_LAZY = {
    "autocast": "amp",
    "get_autocast_dtype": "amp",
    "is_autocast_enabled": "amp",
    "chain_matmul": "linalg.products",
    "finfo": "type_info",
    "iinfo": "type_info",
    "pca_lowrank": "linalg.low_rank",
    "svd_lowrank": "linalg.low_rank",
    "compile": "compilation",
    "vmap": "func",
    "ops": "ops_namespace",
    "save": "serialization",
    "load": "serialization",
    "set_printoptions": "printing",
    "get_printoptions": "printing",
    "set_backend": "plugins",
    "use_backend": "plugins",
    "set_cpu_fallback": "plugins",
    "register_backend": "plugins",
}


def _loaded(name: str) -> _Any:
    if name in _SUBMODULES:
        return _importlib.import_module(f"{__name__}.{name}")
    if name in _LAZY:
        value = getattr(_importlib.import_module(f"{__name__}.{_LAZY[name]}"), name)
        globals()[name] = value
        return value
    if name.endswith("Tensor"):
        from .legacy_types import LEGACY_DTYPES, legacy_type

        if name in LEGACY_DTYPES:
            return legacy_type(name)
    if name.startswith("_foreach_"):
        _importlib.import_module(f"{__name__}.composed.foreach")
    # An op that somebody declared after this module was filled.
    if isinstance(vars(_C).get(name), type(_C.add)):
        globals()[name] = getattr(_C, name)
        return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


if not TYPE_CHECKING:  # else no misspelt name would be noticed
    __getattr__ = _loaded


# ---- small functions of the namespace -----------------------------------------------


def is_tensor(obj: object) -> _builtins.bool:
    """Whether an object is a Tensor."""
    return isinstance(obj, Tensor)


def is_floating_point(input: Tensor) -> _builtins.bool:
    """Whether a tensor's dtype is a floating-point one."""
    return input.is_floating_point()


def is_complex(input: Tensor) -> _builtins.bool:
    """Whether a tensor's dtype is a complex one."""
    return input.is_complex()


def is_storage(obj: object) -> _builtins.bool:
    """Whether an object is the memory of a tensor."""
    from .untyped_storage import UntypedStorage

    return isinstance(obj, UntypedStorage)


def numel(input: Tensor) -> _builtins.int:
    """The number of elements of a tensor."""
    return input.numel()


def set_default_dtype(d: dtype) -> None:  # type: ignore[no-redef]
    """Sets the dtype of floating-point tensors made without one; TypeError for other types."""
    _C.set_default_dtype(d)


def set_default_tensor_type(t: _Any) -> None:
    """Sets the default dtype by a legacy type such as ``FloatTensor``, or its name."""
    from .legacy_types import dtype_of_legacy

    _C.set_default_dtype(dtype_of_legacy(t))


def set_default_device(device_: _Any) -> None:
    """Only the CPU can be the default device so far; RuntimeError for another."""
    if device_ is not None and device(device_).type != "cpu":
        raise RuntimeError(
            f"set_default_device: {device_!r} cannot be the default device; "
            "pass device= to factories"
        )


def get_default_device() -> device:
    """The device of tensors made without one."""
    return device("cpu")


def get_num_interop_threads() -> _builtins.int:
    """Threads that run whole ops side by side: always 1, ops run one after another."""
    return 1


def set_num_interop_threads(n: _builtins.int) -> None:
    """Accepted for compatibility: ops run one after another."""
    if n < 1:
        raise RuntimeError("Expected positive number of threads")


def use_deterministic_algorithms(
    mode: _builtins.bool, *, warn_only: _builtins.bool = False
) -> None:
    """Kernels of the CPU backends always are; the setting is kept and changes nothing."""
    global _deterministic
    _deterministic = _builtins.bool(mode)


_deterministic = False


def are_deterministic_algorithms_enabled() -> _builtins.bool:
    """What use_deterministic_algorithms was set to."""
    return _deterministic


def set_float32_matmul_precision(precision: str) -> None:
    """Accepts PyTorch's names; float32 products are always computed in float32."""
    global _matmul_precision
    if precision not in ("highest", "high", "medium"):
        raise ValueError(f"invalid precision {precision!r}: expected 'highest', 'high' or 'medium'")
    _matmul_precision = precision


_matmul_precision = "highest"


def get_float32_matmul_precision() -> str:
    """What set_float32_matmul_precision was set to."""
    return _matmul_precision


def result_type(tensor1: _Any, tensor2: _Any) -> dtype:
    """The dtype in which an op on two operands (tensors or numbers) computes."""

    def kind(x: _Any) -> _Any:
        return (
            x.new_empty((0,) * _builtins.max(x.ndim, 0)) if isinstance(x, Tensor) and x.ndim else x
        )

    a, b = kind(tensor1), kind(tensor2)
    if not isinstance(a, Tensor) and not isinstance(b, Tensor):
        a = _C.tensor(a)
    # A product of nothing has the type that any product of the two would have.
    a_, b_ = (_shrunk(a), _shrunk(b))
    return (a_ * b_).dtype


def _shrunk(x: _Any) -> _Any:
    return x.reshape(-1)[:0] if isinstance(x, Tensor) and x.ndim else x


def typename(obj: object) -> str:
    """The name of an object's type; of a tensor, its legacy type."""
    if isinstance(obj, Tensor):
        return obj.type()
    kind = type(obj)
    # Types of Python itself go without their module.
    module = "" if kind.__module__ == "builtins" else f"{kind.__module__}."
    return module + kind.__qualname__


def compiled_with_cxx11_abi() -> _builtins.bool:
    """Whether the native code uses the C++11 ABI."""
    return True


if TYPE_CHECKING:
    from . import amp as amp
    from . import autograd as autograd
    from . import backends as backends
    from . import cuda as cuda
    from . import fft as fft
    from . import linalg as linalg
    from . import masked as masked
    from . import nn_ops as nn_ops
    from . import optim_ops as optim_ops
    from . import plugins as plugins
    from . import random as random
    from . import return_types as return_types
    from . import serialization as serialization
    from . import signal as signal
    from . import special as special
    from .amp import autocast as autocast
    from .amp import get_autocast_dtype as get_autocast_dtype
    from .amp import is_autocast_enabled as is_autocast_enabled
    from .linalg.low_rank import pca_lowrank as pca_lowrank
    from .linalg.low_rank import svd_lowrank as svd_lowrank
    from .linalg.products import chain_matmul as chain_matmul
    from .plugins import register_backend as register_backend
    from .plugins import set_backend as set_backend
    from .plugins import use_backend as use_backend
    from .printing import get_printoptions as get_printoptions
    from .printing import set_printoptions as set_printoptions
    from .serialization.load import load as load
    from .serialization.save import save as save
    from .type_info import finfo as finfo
    from .type_info import iinfo as iinfo
