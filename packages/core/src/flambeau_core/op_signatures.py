"""The signatures of ops, as `inspect` and the reader of a docstring see them.

They follow from the declarations: `add(Operand self, Operand other, *, Scalar alpha=1)` reads
`add(input, other, *, alpha=1) -> Tensor`.
"""

from __future__ import annotations

import inspect
import keyword
import re
from typing import Any

from .declare import RETURNS
from .return_types import _FIELDS as NAMED

__all__ = ["parameters", "readable", "result", "signature", "split_schema"]

EMPTY = inspect.Parameter.empty
# What native ops return, where it is not one tensor.
NATIVE_RETURNS = {
    **dict.fromkeys(("chunk", "split", "split_with_sizes", "unbind"), "Tensor[]"),
    "adam_step_": "None",
    "max_pool2d_with_indices": "(Tensor, Tensor)",
    "numpy": "ndarray",
    "sgd_step_": "Tensor?[]",
}
# A result that `out=` cannot take is written otherwise than as `Tensor`.
READABLE = {
    **dict.fromkeys(("self", "bool tensor", "new tensor"), "Tensor"),
    "view": "Tensor (a view)",
    **dict.fromkeys(("Tensor[]", "(Tensor, ...)"), "tuple of Tensors"),
    "Tensor?[]": "list of Tensors",
}


def split_schema(schema: str) -> list[str]:
    """The parameters of `name(a, b=[0,1])`, whose lists hold commas of their own."""
    inside = schema[schema.index("(") + 1 : schema.rindex(")")]
    return [part.strip() for part in re.split(r",(?![^\[]*\])", inside) if part.strip()]


def default_value(text: str) -> Any:
    """A default as the schema writes it, as the Python value that a signature shows."""
    constants = {"None": None, "True": True, "False": False}
    if text in constants:
        return constants[text]
    if text.startswith("["):
        return [default_value(part) for part in re.findall(r"[^\[\], ]+", text)]
    if re.fullmatch(r"[-+]?\d+", text):
        return int(text)
    try:
        return float(text)
    except ValueError:
        return text.strip("'\"")


def parameters(schema: str) -> list[inspect.Parameter]:
    """The parameters of one schema, as Python's signatures have them."""
    kind: Any = inspect.Parameter.POSITIONAL_OR_KEYWORD
    found: list[inspect.Parameter] = []
    for part in split_schema(schema):
        if part == "*":
            kind = inspect.Parameter.KEYWORD_ONLY
            continue
        declared, _, default = part.partition("=")
        type_, name = declared.split()
        value = default_value(default.strip()) if default else None if "?" in type_ else EMPTY
        if type_.endswith("*"):
            found.append(inspect.Parameter(name, inspect.Parameter.VAR_POSITIONAL))
            kind = inspect.Parameter.KEYWORD_ONLY
        else:
            name = "input" if name == "self" else name
            if keyword.iskeyword(name):
                found = [p.replace(kind=inspect.Parameter.POSITIONAL_ONLY) for p in found]
                found.append(inspect.Parameter(name, found[0].kind, default=value))
            else:
                found.append(inspect.Parameter(name, kind, default=value))
    return found


def signature(op: Any) -> inspect.Signature:
    """Of an op with several schemas, the one with most parameters."""
    longest = max(op.schemas, key=lambda schema: len(split_schema(schema)))
    shown = parameters(longest)
    # `roll(input, shifts, dims=(), x)`: what must be given may stand behind what need not.
    required = max((i for i, p in enumerate(shown) if p.default is EMPTY), default=0)
    shown = [
        p.replace(default=EMPTY) if i < required and p.kind is p.POSITIONAL_OR_KEYWORD else p
        for i, p in enumerate(shown)
    ]
    return inspect.Signature(shown)


def result(op: Any, schema: str) -> str:
    """What one schema returns: `Tensor`, `Tensor[]`, `(Tensor, Tensor)`, `bool` or `any`.

    A named tuple is written with the names of its fields: `(values, indices)`.
    """
    name = schema.split("(")[0]
    declared = RETURNS.get(name, NATIVE_RETURNS.get(name, "Tensor"))
    # Of the overloads of a native op those along a dimension return values and places.
    if name in NAMED and (declared[0] == "(" or re.search(r"\bint\?? (dim|k)\b", schema)):
        return f"({', '.join(NAMED[name])})"
    return declared


def readable(op: Any, schema: str) -> str:
    """Parameters and result of a schema: `(input, other, *, alpha=1, out=None) -> Tensor`."""
    shown = []
    starred = False
    for p in parameters(schema):
        starred |= p.kind is p.VAR_POSITIONAL
        if p.kind is p.KEYWORD_ONLY and not starred:
            shown.append("*")
            starred = True
        shown.append(str(p))
    returned = result(op, schema)
    arrow = "" if returned == "any" else f" -> {READABLE.get(returned, returned)}"
    return f"({', '.join(shown)}){arrow}"
