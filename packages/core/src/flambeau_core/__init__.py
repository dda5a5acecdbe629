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
from .random import get_rng_state as get_rng_state
from .random import initial_seed as initial_seed
from .random import manual_seed as manual_seed
from .random import seed as seed
from .random import set_rng_state as set_rng_state
from .settings import are_deterministic_algorithms_enabled as are_deterministic_algorithms_enabled
from .settings import get_default_device as get_default_device
from .settings import get_default_dtype as get_default_dtype
from .settings import get_float32_matmul_precision as get_float32_matmul_precision
from .settings import get_num_interop_threads as get_num_interop_threads
from .settings import get_num_threads as get_num_threads
from .settings import set_default_device as set_default_device
from .settings import set_default_dtype as set_default_dtype
from .settings import set_default_tensor_type as set_default_tensor_type
from .settings import set_float32_matmul_precision as set_float32_matmul_precision
from .settings import set_num_interop_threads as set_num_interop_threads
from .settings import set_num_threads as set_num_threads
from .settings import use_deterministic_algorithms as use_deterministic_algorithms
from .type_queries import can_cast as can_cast
from .type_queries import compiled_with_cxx11_abi as compiled_with_cxx11_abi
from .type_queries import is_complex as is_complex
from .type_queries import is_floating_point as is_floating_point
from .type_queries import is_storage as is_storage
from .type_queries import is_tensor as is_tensor
from .type_queries import numel as numel
from .type_queries import promote_types as promote_types
from .type_queries import result_type as result_type
from .type_queries import typename as typename
from .version import __version__ as __version__

if TYPE_CHECKING:
    from ._C import *  # noqa: F403

# What the extension offers to this package alone.
_INTERNAL = {
    "API_VERSION",
    "GradContext",
    "Node",
    "attend",
    "attended",
    "autocast_get",
    "autocast_set",
    "backward_has_inputs",
    "borrows_kernel",
    "cached_bytes",
    "can_cast",
    "cpu_fallback",
    "current_backend",
    "current_backward",
    "declare",
    "device_count",
    "disable_saved_tensors_hooks",
    "empty_cache",
    "find_op",
    "get_default_dtype",
    "get_num_threads",
    "get_rng_state",
    "gradient_node",
    "has_kernel",
    "increment_version",
    "initial_seed",
    "install_backend",
    "installed_backends",
    "intercepted",
    "keep_full_precision",
    "is_write_watched",
    "kernel_rows",
    "launch",
    "manual_seed",
    "mark_inplace",
    "pop_saved_tensors_hooks",
    "promote_types",
    "push_saved_tensors_hooks",
    "reaches_beyond",
    "reclassed",
    "record_function",
    "run_backward",
    "saved_tensors",
    "seed",
    "set_anomaly_mode",
    "set_composition",
    "set_cpu_fallback",
    "set_default_dtype",
    "set_dual",
    "set_grad_mode",
    "set_write_watcher",
    "set_num_threads",
    "set_rng_state",
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
    "sparse",
    "special",
}
_LAZY = {
    "autocast": "amp",
    "get_autocast_dtype": "amp",
    "is_autocast_enabled": "amp",
    "chain_matmul": "linalg.products",
    "finfo": "type_info",
    "iinfo": "type_info",
    "lobpcg": "linalg.lobpcg",
    "pca_lowrank": "linalg.low_rank",
    "svd_lowrank": "linalg.low_rank",
    "compile": "compilation",
    "sparse_compressed_tensor": "sparse.compressed_rows",
    "sparse_coo_tensor": "sparse.construction",
    "sparse_csr_tensor": "sparse.compressed_rows",
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
    from . import sparse as sparse
    from . import special as special
    from .amp import autocast as autocast
    from .amp import get_autocast_dtype as get_autocast_dtype
    from .amp import is_autocast_enabled as is_autocast_enabled
    from .linalg.lobpcg import lobpcg as lobpcg
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
    from .sparse.compressed_rows import sparse_compressed_tensor as sparse_compressed_tensor
    from .sparse.compressed_rows import sparse_csr_tensor as sparse_csr_tensor
    from .sparse.construction import sparse_coo_tensor as sparse_coo_tensor
    from .type_info import finfo as finfo
    from .type_info import iinfo as iinfo
