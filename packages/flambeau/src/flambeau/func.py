"""Function transforms, and modules as functions of their parameters."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from flambeau_core.func import (
    grad,
    grad_and_value,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    linearize,
    vjp,
    vmap,
)

if TYPE_CHECKING:
    from flambeau_nn.utils.stateless import functional_call as functional_call
    from flambeau_nn.utils.stateless import stack_module_state as stack_module_state

# These are about modules, which another package has.
_OF_MODULES = {"functional_call", "stack_module_state"}

__all__ = [
    "functional_call",
    "grad",
    "grad_and_value",
    "hessian",
    "jacfwd",
    "jacrev",
    "jvp",
    "linearize",
    "stack_module_state",
    "vjp",
    "vmap",
]


def _loaded(name: str) -> Any:
    if name not in _OF_MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("flambeau.nn.utils.stateless"), name)


if not TYPE_CHECKING:  # else no misspelt name would be noticed
    __getattr__ = _loaded
