"""Reading the pickle of a file: safely, or with everything that pickle can do."""

from __future__ import annotations

import pickle
from collections import OrderedDict, defaultdict
from typing import Any

from flambeau_core.serialization import rebuild
from flambeau_core.serialization.safe_globals import allowed, is_allowed
from flambeau_core.serialization.storage import StorageLoader


def find_storage(loader: StorageLoader, pid: Any) -> Any:
    """The storage of a persistent id ('storage', class, key, location, count)."""
    if not (isinstance(pid, tuple) and len(pid) >= 5 and pid[0] == "storage"):
        raise pickle.UnpicklingError(f"unknown kind of persistent id {pid!r}")
    _, kind, key, location, count = pid[:5]
    if not isinstance(kind, rebuild.StorageType):
        raise pickle.UnpicklingError(f"{kind!r} is not a storage class")
    owner = loader.owner(str(key), kind.dtype or "uint8", str(location), int(count))
    if len(pid) > 5 and pid[5] is not None:  # old files: a part of another storage
        _, offset, size = pid[5]
        return owner[offset : offset + size]
    return owner


# The unpickler written in Python is the one whose instructions can be replaced.
PythonUnpickler: Any = pickle._Unpickler


class SafeUnpickler(PythonUnpickler):  # type: ignore[misc]
    """Rebuilds tensors, containers and plain values, and refuses every other name.

    Calls and state go only to what this package defines or the program allowed, so that no file
    can run code or change classes and functions.
    """

    dispatch = dict(PythonUnpickler.dispatch)

    def __init__(self, stream: Any, loader: StorageLoader, **options: Any) -> None:
        super().__init__(stream, **options)
        self.loader = loader
        self.callables = rebuild.callables()

    def find_class(self, module: str, name: str) -> Any:
        full = f"{module}.{name}"
        found, value = rebuild.known(full)
        if not found:
            value = allowed(full)
            if value is None:
                raise pickle.UnpicklingError(
                    f"the file uses {full}, which safe loading does not rebuild: if you trust "
                    f"the file, allow it with add_safe_globals or pass weights_only=False"
                )
        return value

    def persistent_load(self, pid: Any) -> Any:
        return find_storage(self.loader, pid)

    def check_callable(self, function: Any) -> None:
        if not (any(function is known for known in self.callables) or is_allowed(function)):
            raise pickle.UnpicklingError(f"the file calls {function!r}, which is not allowed")

    def load_reduce(self) -> None:
        args = self.stack.pop()
        function = self.stack[-1]
        self.check_callable(function)
        if function is defaultdict and not (
            len(args) and args[0] in (None, *rebuild.BUILTINS.values())
        ):
            raise pickle.UnpicklingError("the file has a defaultdict with an unknown factory")
        self.stack[-1] = function(*args)

    def load_newobj(self) -> None:
        args = self.stack.pop()
        cls = self.stack.pop()
        self.check_callable(cls)
        self.append(cls.__new__(cls, *args))

    def load_build(self) -> None:
        instance = self.stack[-2]
        if type(instance) is OrderedDict or is_allowed(type(instance)):
            PythonUnpickler.load_build(self)
            return
        raise pickle.UnpicklingError(f"the file sets the state of a {type(instance).__name__}")

    def refuse(self) -> None:
        raise pickle.UnpicklingError("the file uses a pickle instruction that safe loading refuses")

    dispatch[pickle.REDUCE[0]] = load_reduce
    dispatch[pickle.NEWOBJ[0]] = load_newobj
    dispatch[pickle.BUILD[0]] = load_build
    for _code in (
        pickle.INST,
        pickle.OBJ,
        pickle.NEWOBJ_EX,
        pickle.EXT1,
        pickle.EXT2,
        pickle.EXT4,
        pickle.NEXT_BUFFER,
        pickle.READONLY_BUFFER,
    ):
        dispatch[_code[0]] = refuse
    del _code


class FullUnpickler(pickle.Unpickler):
    """Everything that pickle can do, with PyTorch's names for tensors understood."""

    def __init__(self, stream: Any, loader: StorageLoader, **options: Any) -> None:
        super().__init__(stream, **options)
        self.loader = loader

    def find_class(self, module: str, name: str) -> Any:
        found, value = rebuild.known(f"{module}.{name}")
        return value if found else super().find_class(module, name)

    def persistent_load(self, pid: Any) -> Any:
        return find_storage(self.loader, pid)


def unpickle(
    stream: Any, loader: StorageLoader, weights_only: bool, label: str, **options: Any
) -> Any:
    """One object; damaged pickles raise UnpicklingError whatever they trip over."""
    reader = (SafeUnpickler if weights_only else FullUnpickler)(stream, loader, **options)
    try:
        return reader.load()
    except pickle.UnpicklingError as error:
        raise pickle.UnpicklingError(f"{label}: {error}") from error
    except (RuntimeError, ImportError):
        raise
    except Exception as error:
        if not weights_only:
            raise
        raise pickle.UnpicklingError(
            f"{label}: the pickle inside is corrupt ({type(error).__name__}: {error})"
        ) from error
