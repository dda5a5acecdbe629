"""Modules that hold other modules, or parameters, in a sequence or by name."""

from __future__ import annotations

import operator
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from .module import Module, indented

__all__ = ["ModuleDict", "ModuleList", "Sequential"]


class _Indexed:
    """What `Sequential` and `ModuleList` share: submodules named "0", "1", ... in their order."""

    _modules: dict[str, Any]

    def _place(self, index: Any) -> int:
        """The place of an index, which may count from the end."""
        place = operator.index(index)
        if not -len(self) <= place < len(self):
            raise IndexError(f"index {place} is out of range")
        return place % len(self)

    def _key(self, index: Any) -> str:
        return list(self._modules)[self._place(index)]

    def _renumber(self, modules: Iterable[Any]) -> None:
        modules = list(modules)
        self._modules.clear()
        for place, module in enumerate(modules):
            self._modules[str(place)] = module

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._modules.values())

    def __setitem__(self, index: int, module: Module) -> None:
        setattr(self, self._key(index), module)

    def __delitem__(self, index: int | slice) -> None:
        keys = list(self._modules)
        doomed = keys[index] if isinstance(index, slice) else [self._key(index)]
        for key in doomed:
            delattr(self, key)
        self._renumber(self._modules.values())

    def pop(self, key: int | slice) -> Any:
        """Takes a submodule out and returns it."""
        module = self[key]  # type: ignore[index]
        del self[key]
        return module

    def insert(self, index: int, module: Module) -> Any:
        """Puts a submodule before the one at `index`."""
        modules = list(self._modules.values())
        modules.insert(index, module)
        self._renumber(modules)
        return self

    def append(self, module: Module) -> Any:
        """Adds a submodule at the end."""
        self.add_module(str(len(self)), module)  # type: ignore[attr-defined]
        return self

    def extend(self, modules: Iterable[Module]) -> Any:
        """Adds submodules at the end."""
        for module in list(modules):
            self.append(module)
        return self


class Sequential(_Indexed, Module):
    """Calls its submodules one after the other, each with what the one before returned.

    Built from modules, or from one OrderedDict that names them.
    """

    def __init__(self, *args: Any) -> None:
        super().__init__()
        if len(args) == 1 and isinstance(args[0], OrderedDict):
            for name, module in args[0].items():
                self.add_module(name, module)
        else:
            for place, module in enumerate(args):
                self.add_module(str(place), module)

    def forward(self, input: Any) -> Any:
        for module in self._modules.values():
            input = module(input)
        return input

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return type(self)(OrderedDict(list(self._modules.items())[index]))
        return self._modules[self._key(index)]

    def insert(self, index: int, module: Module) -> Sequential:
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        if not -len(self) <= index <= len(self):
            raise IndexError(f"Index out of range: {index}")
        super().insert(index, module)
        return self

    def extend(self, modules: Any) -> Sequential:
        super().extend(modules)
        return self

    def __add__(self, other: Any) -> Sequential:
        if not isinstance(other, Sequential):
            raise ValueError(
                "add operator supports only objects of Sequential class, but "
                f"{type(other)} is given."
            )
        return Sequential(*self, *other)

    def __iadd__(self, other: Any) -> Sequential:
        if not isinstance(other, Sequential):
            raise ValueError(
                "add operator supports only objects of Sequential class, but "
                f"{type(other)} is given."
            )
        return self.extend(list(other))

    def __mul__(self, other: int) -> Sequential:
        _check_repeats(other)
        return Sequential(*(list(self) * other))

    __rmul__ = __mul__

    def __imul__(self, other: int) -> Sequential:
        _check_repeats(other)
        modules = list(self)
        for _ in range(other - 1):
            self.extend(modules)
        return self


def _check_repeats(times: Any) -> None:
    if not isinstance(times, int):
        raise TypeError(f"unsupported operand type(s) for *: {Sequential} and {type(times)}")
    if times <= 0:
        raise ValueError(f"Non-positive multiplication factor {times} for {Sequential}")


class ModuleList(_Indexed, Module):
    """Submodules in a list; it is not called itself."""

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.extend(modules)

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return type(self)(list(self._modules.values())[index])
        return self._modules[str(self._place(index))]

    def __setitem__(self, index: int, module: Module) -> None:
        setattr(self, str(self._place(index)), module)

    def __iadd__(self, modules: Iterable[Module]) -> ModuleList:
        return self.extend(modules)

    def __add__(self, other: Iterable[Module]) -> ModuleList:
        return ModuleList([*self, *other])

    def extend(self, modules: Iterable[Module]) -> ModuleList:
        if not isinstance(modules, Iterable):
            raise TypeError(
                "ModuleList.extend should be called with an iterable, but got "
                + type(modules).__name__
            )
        super().extend(modules)
        return self

    def __repr__(self) -> str:
        """As of any module, with runs of equal submodules folded into one line."""
        if not len(self):
            return f"{self._get_name()}()"
        runs: list[tuple[int, int, str]] = []
        for place, text in enumerate(map(repr, self)):
            if runs and runs[-1][2] == text:
                runs[-1] = (runs[-1][0], place, text)
            else:
                runs.append((place, place, text))
        lines = [
            f"({first}): {indented(text)}"
            if first == last
            else f"({first}-{last}): {last - first + 1} x {indented(text)}"
            for first, last, text in runs
        ]
        body = "\n  ".join(lines)
        return f"{self._get_name()}(\n  {body}\n)"


class ModuleDict(Module):
    """Submodules by name, in the order in which they were added; it is not called itself."""

    def __init__(self, modules: Any = None) -> None:
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key: str) -> Any:
        return self._modules[key]

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, key: object) -> bool:
        return key in self._modules

    def clear(self) -> None:
        """Takes every submodule out."""
        self._modules.clear()

    def pop(self, key: str) -> Any:
        """Takes one submodule out and returns it."""
        return self._modules.pop(key)

    def keys(self) -> Any:
        """The names."""
        return self._modules.keys()

    def items(self) -> Any:
        """The names with their submodules."""
        return self._modules.items()

    def values(self) -> Any:
        """The submodules."""
        return self._modules.values()

    def update(self, modules: Any) -> None:
        """Adds submodules of a mapping, or of pairs of name and module."""
        if not isinstance(modules, Iterable):
            raise TypeError(
                "ModuleDict.update should be called with an iterable of key/value pairs, but got "
                + type(modules).__name__
            )
        if isinstance(modules, (Mapping, ModuleDict)):
            for name, module in modules.items():
                self[name] = module
            return
        for place, pair in enumerate(modules):
            if not isinstance(pair, Iterable):
                raise TypeError(
                    f"ModuleDict update sequence element #{place} should be Iterable; is"
                    + type(pair).__name__
                )
            name_and_module = list(pair)
            if len(name_and_module) != 2:
                raise ValueError(
                    f"ModuleDict update sequence element #{place} has length "
                    f"{len(name_and_module)}; 2 is required"
                )
            self[name_and_module[0]] = name_and_module[1]
