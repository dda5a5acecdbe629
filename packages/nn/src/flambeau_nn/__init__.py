"""Neural-network modules, functions, losses and initialisation.

The names and their semantics are those of `torch.nn`.
"""

from . import functional, init, modules, parameter, utils
from .modules import *  # noqa: F403
from .parameter import Buffer, Parameter

__version__ = "0.1.0"

__all__ = [
    "Buffer",
    "Parameter",
    "__version__",
    "functional",
    "init",
    "modules",
    "parameter",
    "utils",
]
__all__ += modules.__all__
