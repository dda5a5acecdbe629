"""Modules whose names can be set: reading and writing both go to the module behind them."""

import sys
from types import ModuleType
from typing import Any


class Forwarding(ModuleType):
    """A module of the namespace that keeps nothing itself."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["_implementation"], name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("__"):
            super().__setattr__(name, value)
        else:
            setattr(self.__dict__["_implementation"], name, value)

    def __dir__(self) -> list[str]:
        return dir(self.__dict__["_implementation"])


def forward(name: str, implementation: ModuleType) -> None:
    """Make the module called `name`, which is being imported, forward to another."""
    module = sys.modules[name]
    module.__dict__["_implementation"] = implementation
    module.__class__ = Forwarding
