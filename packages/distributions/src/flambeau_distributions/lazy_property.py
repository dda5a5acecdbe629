"""Attributes that are computed when they are first read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

import flambeau_core as fb

T = TypeVar("T")


class lazy_property(Generic[T]):
    """A method read as an attribute: its result replaces it in the instance.

    It is computed with gradients on, since what is cached may be differentiated later. Read from
    the class it is itself, so that whether a value was ever computed can be told.
    """

    def __init__(self, wrapped: Callable[[Any], T]) -> None:
        self.wrapped = wrapped
        self.__doc__ = wrapped.__doc__
        self.__name__ = wrapped.__name__

    @overload
    def __get__(self, instance: None, owner: type | None = None) -> lazy_property[T]: ...
    @overload
    def __get__(self, instance: object, owner: type | None = None) -> T: ...
    def __get__(self, instance: object | None, owner: type | None = None) -> T | lazy_property[T]:
        if instance is None:
            return self
        with fb.enable_grad():
            value = self.wrapped(instance)
        setattr(instance, self.__name__, value)
        return value
