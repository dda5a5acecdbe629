"""What `help()` shows of an op: its declaration joined with the prose of `op_docs/`.

The files of `op_docs` hold a section an op, `## add`, or one for several names of the same op,
`## abs, absolute`, of which the first is the op and the others its aliases. They are read when
the first op is asked for its documentation, not before.
"""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from . import _C

__all__ = ["Section", "docstring", "forms", "prose", "sections", "signature", "summary"]

FOLDER = Path(__file__).with_name("op_docs")
PLACES = {"flambeau": _C, "Tensor": _C.Tensor, "nn_ops": _C.nn_ops, "optim_ops": _C.optim_ops}
EMPTY = inspect.Parameter.empty


@dataclass(frozen=True)
class Section:
    """The prose of one op; `names` starts with the op, its aliases follow."""

    family: str
    names: tuple[str, ...]
    text: str


@cache
def sections() -> dict[str, Section]:
    """All sections by every name that they document."""
    found: dict[str, Section] = {}
    for file in sorted(FOLDER.glob("*.md")):
        parts = re.split(r"^## (.+)\n", file.read_text(encoding="utf-8"), flags=re.MULTILINE)
        for heading, text in zip(parts[1::2], parts[2::2], strict=True):
            names = tuple(heading.strip().split(", "))
            found.update(dict.fromkeys(names, Section(file.stem, names, text.strip())))
    return found


def functional_name(op: Any) -> str:
    """The name under which an op, its in-place form and its operator are documented."""
    return str(op.schemas[0].split("(")[0])


def prose(op: Any) -> str:
    """What there is to say of an op besides its declaration; empty where nothing is written."""
    section = sections().get(op.__name__) or sections().get(functional_name(op))
    if section is not None:
        return section.text
    functional = op.functional or op
    return inspect.getdoc(functional.definition) or "" if functional.definition else ""


def summary(op: Any) -> str:
    """The first sentence of the prose, on one line."""
    paragraph = " ".join(prose(op).split("\n\n")[0].split())
    return re.split(r"(?<=[.!?])\s+(?=[A-Z`(])", paragraph)[0]


# ---- signatures ------------------------------------------------------------------------


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
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
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


def readable(op: Any, schema: str) -> str:
    """A schema as a Python programmer reads it: `add(input, other, *, alpha=1, out=None)`."""
    shown = []
    starred = False
    for p in parameters(schema):
        starred |= p.kind is p.VAR_POSITIONAL
        if p.kind is p.KEYWORD_ONLY and not starred:
            shown.append("*")
            starred = True
        shown.append(str(p))
    return f"{op.__name__}({', '.join(shown)})"


# ---- forms -----------------------------------------------------------------------------


def forms(op: Any) -> list[str]:
    """Where an op is found and how: `Tensor.add`, `Tensor.add_`, `out=`."""
    name = functional_name(op)
    found = []
    for form in (name, f"{name}_"):
        found += [f"{place}.{form}" for place, holder in PLACES.items() if form in vars(holder)]
    if any("any out=None" in schema for schema in op.schemas):
        found.append("out=")
    return found


def notes(op: Any) -> list[str]:
    """What the declaration says beyond the signature."""
    section = sections().get(functional_name(op))
    found = []
    if op.inplace and op.functional is not None:
        found.append(f"Writes the result into its first argument: the in-place form of `{op.functional.__name__}`.")
    elif op.__name__ != functional_name(op):
        found.append(f"The operator form of `{functional_name(op)}`.")
    if section is not None and functional_name(op) in section.names[1:]:
        found.append(f"An alias of `{section.names[0]}`.")
    return found


def docstring(op: Any) -> str:
    """The text of `op.__doc__`."""
    signatures = "\n".join(dict.fromkeys(readable(op, schema) for schema in op.schemas))
    text = prose(op).replace("\n\n    >>>", "\n\nExample:\n\n    >>>", 1)
    also = f"Forms: {', '.join(f'`{form}`' for form in forms(op))}."
    return "\n\n".join(part for part in (signatures, *notes(op), text, also) if part) + "\n"
