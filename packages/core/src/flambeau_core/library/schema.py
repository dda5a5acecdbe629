"""Schemas of custom ops: from annotations, or from PyTorch's notation."""

from __future__ import annotations

import ast
import inspect
import re
import types
import typing
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Union

from .. import _C

__all__ = ["filled_in", "infer_schema", "mutated_names", "native_schema"]

SIMPLE: dict[Any, str] = {
    _C.Tensor: "Tensor",
    int: "SymInt",
    float: "float",
    bool: "bool",
    str: "str",
    _C.dtype: "ScalarType",
    _C.device: "Device",
}
# PyTorch's names of types, and those of Flambeau's schemas.
NATIVE = {"SymInt": "int", "ScalarType": "dtype", "Device": "device", "Layout": "any"}
SEQUENCES = (list, Sequence)


def infer_schema(
    prototype_function: Callable[..., Any],
    /,
    *,
    mutates_args: str | Iterable[str],
    op_name: str | None = None,
) -> str:
    """The schema of a function, from its annotations, in PyTorch's notation.

    Args:
        prototype_function: every parameter is annotated with one of Tensor, int, float, bool,
            str, dtype, device, Union[int, float, bool], Optional of those, or a Sequence.
        mutates_args: names of the arguments that it writes to, or ``"unknown"``.
        op_name: what stands before the parenthesis.

    Raises:
        ValueError: an annotation is missing, or of another type.
    """
    signature = inspect.signature(prototype_function)
    hints = typing.get_type_hints(prototype_function)
    names = set(signature.parameters)
    if mutates_args == "unknown":
        written = {n for n in names if "Tensor" in _type(hints.get(n), n, prototype_function)}
    elif isinstance(mutates_args, str):
        raise ValueError("infer_schema: mutates_args must be a sequence of names, or 'unknown'")
    else:
        written = set(mutates_args)
    if unknown := written - names:
        raise ValueError(f"infer_schema: mutates_args names {sorted(unknown)}, not parameters")
    parts, star = [], False
    for i, (name, parameter) in enumerate(signature.parameters.items()):
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise ValueError(f"infer_schema: *args and **kwargs have no schema ({name})")
        if parameter.kind is parameter.KEYWORD_ONLY and not star:
            parts.append("*")
            star = True
        kind = _type(hints.get(name), name, prototype_function)
        if name in written:
            kind = re.sub("^Tensor", f"Tensor(a{i}!)", kind)
        default = "" if parameter.default is parameter.empty else f"={_default(parameter.default)}"
        parts.append(f"{kind} {name}{default}")
    return f"{op_name or ''}({', '.join(parts)}) -> {_returns(hints, prototype_function)}"


def _default(value: Any) -> str:
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, _C.dtype):
        return str(value).rpartition(".")[2]
    if isinstance(value, _C.device):
        return f'"{value}"'
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_default, value)) + "]"
    return str(value)


def _type(annotation: Any, name: str, function: Any) -> str:
    found = _type_or_none(annotation)
    if found is None:
        raise ValueError(
            f"infer_schema: parameter {name} of {getattr(function, '__name__', function)} "
            + (
                "has no type annotation"
                if annotation is None
                else f"has type {annotation}, which an op's parameter cannot have"
            )
        )
    return found


def _type_or_none(annotation: Any) -> str | None:
    if annotation in SIMPLE:
        return SIMPLE[annotation]
    origin, args = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (Union, types.UnionType):
        rest = [a for a in args if a is not type(None)]
        if set(rest) == {int, float, bool}:
            return "Scalar" + ("?" if len(rest) < len(args) else "")
        inner = _type_or_none(rest[0]) if len(rest) == 1 else None
        return None if inner is None else inner + "?"
    if origin in SEQUENCES or origin in map(typing.get_origin, (Sequence[int],)):
        inner = _type_or_none(args[0])
        return None if inner is None else inner + "[]"
    return None


def _returns(hints: dict[str, Any], function: Any) -> str:
    annotation = hints.get("return", inspect.Parameter.empty)
    if annotation is inspect.Parameter.empty:
        raise ValueError(
            f"infer_schema: {getattr(function, '__name__', function)} has no return annotation"
        )
    if annotation is None or annotation is type(None):
        return "()"
    if typing.get_origin(annotation) is tuple:
        return (
            "(" + ", ".join(_type(a, "return", function) for a in typing.get_args(annotation)) + ")"
        )
    return _type(annotation, "return", function)


def mutated_names(schema: str) -> set[str]:
    """The parameters that a schema says are written to."""
    return set(re.findall(r"\(\w+!\)[^,)]*?\s(\w+)\s*(?=[,)=])", schema))


# Defaults that Flambeau's own schemas have no notation for: they are filled in by name.
FILLED_IN = re.compile(
    r"\b(ScalarType|Device|str|(?:float|bool|str|Scalar)\[\d*\])\??\s+(\w+)\s*=\s*"
    r"(\"[^\"]*\"|\[[^\]]*\]|[\w:]+)"
)


def filled_in(schema: str) -> dict[str, Any]:
    """The defaults of dtypes, devices, strings and lists of numbers, by the parameters' names."""
    return {
        name: _value(kind, text) for kind, name, text in FILLED_IN.findall(schema) if text != "None"
    }


def _value(kind: str, text: str) -> Any:
    if kind == "ScalarType":
        return getattr(_C, text)
    return _C.device(text.strip('"')) if kind == "Device" else ast.literal_eval(text)


def native_schema(name: str, schema: str) -> str:
    """PyTorch's notation as Flambeau declares ops."""
    text = re.sub(r"\(\w+!?\)", "", schema[schema.index("(") :])
    text = FILLED_IN.sub(r"\1? \2=None", text)
    for theirs, ours in NATIVE.items():
        text = re.sub(rf"\b{theirs}\b", ours, text)
    # Lists of numbers are lists of integers there; others are handed through.
    text = re.sub(r"\b(float|bool|str|Scalar)\[\d*\](\?)?", "any", text)
    return name + text
