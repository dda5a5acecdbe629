"""Flambeau: a deep-learning framework with PyTorch's API, installed by the piece.

`import flambeau` loads flambeau_core alone; `flambeau.nn`, `flambeau.optim` and the other modules
load when they are first used. Classes and functions keep the names of the packages that define
them (`flambeau_nn.Linear`).
"""

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

import flambeau_core

from flambeau._names import MEMBERS

# What core's namespace holds without offering it.
_FROM_ELSEWHERE = {"TYPE_CHECKING", "annotations"}

if TYPE_CHECKING:
    from flambeau_core import *

    from flambeau import distributions as distributions
    from flambeau import nn as nn
    from flambeau import optim as optim
    from flambeau import testing as testing
    from flambeau import utils as utils
    from flambeau import version as version
    from flambeau import vision as vision

# Core's names are copied, since a look-up through __getattr__ would cost more than a small op.
# Its modules are not: flambeau.cuda must be one module, however it was imported.
__all__ = [
    name
    for name, value in vars(flambeau_core).items()
    if not (name.startswith("_") or isinstance(value, ModuleType) or name in _FROM_ELSEWHERE)
]
globals().update((name, getattr(flambeau_core, name)) for name in __all__)
__version__ = flambeau_core.__version__


def _loaded(name: str) -> Any:
    if name in MEMBERS:
        return import_module(f"flambeau.{name}")
    try:
        value = getattr(flambeau_core, name)
    except AttributeError:
        raise AttributeError(f"module 'flambeau' has no attribute {name!r}") from None
    globals()[name] = value
    return value


if not TYPE_CHECKING:  # else no misspelt name would be noticed
    __getattr__ = _loaded


def __dir__() -> list[str]:
    return sorted({*globals(), *MEMBERS, *dir(flambeau_core)})
