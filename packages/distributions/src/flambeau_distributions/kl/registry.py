"""Which function computes the divergence of two types of distributions."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, TypeVar

from flambeau_core import Tensor

from ..distribution import Distribution

Divergence = Callable[[Any, Any], Tensor]
F = TypeVar("F", bound=Divergence)
Types = tuple[type[Distribution], type[Distribution]]

_registry: dict[Types, Divergence] = {}
# What was found for two types, until another function is registered.
_found: dict[Types, Divergence | None] = {}


def register_kl(type_p: type[Distribution], type_q: type[Distribution]) -> Callable[[F], F]:
    """Decorate the function that computes `kl_divergence` of two types and their subclasses.

    Raises:
        TypeError: a type is not a subclass of Distribution.
    """
    for name, kind in (("type_p", type_p), ("type_q", type_q)):
        if not (isinstance(kind, type) and issubclass(kind, Distribution)):
            raise TypeError(f"{name} must be a subclass of Distribution, but got {kind!r}")

    def register(function: F) -> F:
        _registry[type_p, type_q] = function
        _found.clear()
        return function

    return register


def kl_divergence(p: Distribution, q: Distribution) -> Tensor:
    """The Kullback-Leibler divergence ``E_p[log p(x) - log q(x)]``, of the batch shape.

    The function is the one registered for the types; failing that, for the nearest classes that
    they inherit from.

    Raises:
        NotImplementedError: none is registered.
    """
    types = type(p), type(q)
    if types not in _found:
        _found[types] = _find(*types)
    function = _found[types]
    if function is None:
        raise NotImplementedError(
            f"no kl_divergence is registered for p of the type {type(p).__name__} and "
            f"q of the type {type(q).__name__}"
        )
    return function(p, q)


def _find(type_p: type[Distribution], type_q: type[Distribution]) -> Divergence | None:
    """The function of the nearest ancestors.

    Where one pair has the nearest class of p, and another one that of q, p decides, with a warning.
    """
    matches = [
        types
        for types in _registry
        if issubclass(type_p, types[0]) and issubclass(type_q, types[1])
    ]
    if not matches:
        return None

    def distances(types: Types) -> tuple[int, int]:
        return type_p.__mro__.index(types[0]), type_q.__mro__.index(types[1])

    by_p = min(matches, key=distances)
    by_q = min(matches, key=lambda types: distances(types)[::-1])
    if _registry[by_p] is not _registry[by_q]:
        pair = f"{type_p.__name__}, {type_q.__name__}"
        warnings.warn(
            f"kl_divergence({pair}) is ambiguous between the functions of "
            f"({by_p[0].__name__}, {by_p[1].__name__}) and "
            f"({by_q[0].__name__}, {by_q[1].__name__}): register_kl({pair}) decides it",
            RuntimeWarning,
            stacklevel=3,
        )
    return _registry[by_p]
