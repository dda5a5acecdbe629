"""What `help()` shows of an op: its declaration joined with the prose of `op_docs/`.

The files of `op_docs` hold a section an op, `## add`, or one for several names of the same op,
`## abs, absolute`, of which the first is the op and the others its aliases. They are read when
the first op is asked for its documentation, not before.
"""

from __future__ import annotations

import inspect
import keyword
import re
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from . import _C
from . import _INTERNAL as INTERNAL

__all__ = [
    "Section",
    "docstring",
    "forms",
    "places",
    "prose",
    "section",
    "sections",
    "signature",
    "summary",
]

FOLDER = Path(__file__).with_name("op_docs")
# Modules whose ops carry the module in their name: `fft_rfft` is `flambeau.fft.rfft`.
MODULES = ("fft", "linalg", "special")
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
            names = tuple(heading.strip().replace(".", "_").split(", "))
            found.update(dict.fromkeys(names, Section(file.stem, names, text.strip())))
    return found


def places() -> dict[str, dict[str, Any]]:
    """The public ops by where they are found."""
    holders = {"flambeau": _C, "Tensor": _C.Tensor}
    holders |= {f"flambeau.{name}": getattr(_C, name) for name in ("nn_ops", "optim_ops")}
    holders |= {f"flambeau.{name}": import_module(f"{__package__}.{name}") for name in MODULES}
    op_type = type(_C.add)
    return {
        place: {
            name: value
            for name, value in vars(holder).items()
            if isinstance(value, op_type) and name[0] != "_" and name not in INTERNAL
        }
        for place, holder in holders.items()
    }


def declared_name(op: Any) -> str:
    """The name in the declaration, which an in-place form and an operator share."""
    return str(op.schemas[0].split("(")[0])


def section(op: Any) -> Section | None:
    """What is written of an op, or of the op that it is a form of."""
    declared = declared_name(op)
    for name in (op.__name__, declared, declared.removesuffix("_")):
        if name in sections():
            return sections()[name]
    return None


def prose(op: Any) -> str:
    """What there is to say of an op besides its declaration; empty where nothing is written."""
    found = section(op)
    if found is not None:
        return found.text
    function = (op.functional or op).definition
    return inspect.getdoc(function) or "" if function else ""


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
    return f"{shown_name(op.__name__)}({', '.join(shown)})"


# ---- forms -----------------------------------------------------------------------------


def shown_name(name: str) -> str:
    """The name of an op within `flambeau`: `fft.rfft` for `fft_rfft`."""
    module, _, rest = name.partition("_")
    return f"{module}.{rest}" if module in MODULES and rest else name


def forms(op: Any) -> list[str]:
    """Where an op is found and how: `Tensor.add`, `Tensor.add_`, `out=`."""
    name = declared_name(op)
    found = [
        f"{place}.{attribute}"
        for form in (name, f"{name}_")
        for place, ops in places().items()
        for attribute, value in ops.items()
        if value.__name__ == form
    ]
    return found + ["out="] * any("any out=None" in schema for schema in op.schemas)


def notes(op: Any) -> list[str]:
    """What the declaration says beyond the signature."""
    found = section(op)
    name, declared = op.__name__, declared_name(op)
    if found is None:
        return []
    if name.startswith("__"):
        return [f"The operator form of `{declared}`."]
    if name.endswith("_") and name not in found.names:
        return [f"The in-place form of `{name[:-1]}`: writes the result into its first argument."]
    if name in found.names[1:]:
        return [f"An alias of `{shown_name(found.names[0])}`."]
    return []


def docstring(op: Any) -> str:
    """The text of `op.__doc__`."""
    signatures = "\n".join(dict.fromkeys(readable(op, schema) for schema in op.schemas))
    text = prose(op).replace("\n\n    >>>", "\n\nExample:\n\n    >>>", 1)
    also = f"Forms: {', '.join(f'`{form}`' for form in forms(op))}."
    return "\n\n".join(part for part in (signatures, *notes(op), text, also) if part) + "\n"
