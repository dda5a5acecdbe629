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
from importlib import import_module
from pathlib import Path
from typing import Any

from . import _C
from . import _INTERNAL as INTERNAL
from .op_signatures import readable, signature

__all__ = [
    "Section",
    "docstring",
    "forms",
    "places",
    "prose",
    "section",
    "sections",
    "shown_name",
    "signature",
    "summary",
]

FOLDER = Path(__file__).with_name("op_docs")
# Modules whose ops carry the module in their name: `fft_rfft` is `flambeau.fft.rfft`.
MODULES = ("fft", "linalg", "special")


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


def with_imports(text: str) -> str:
    """The prose with its example announced, and what that imports."""
    at = text.find("    >>>")
    if at < 0:
        return text
    prose, code = text[:at], text[at:]
    imports = ["    >>> import flambeau as torch\n"] * ("torch." in code)
    imports += ["    >>> import flambeau.nn.functional as F\n"] * ("F." in code)
    return f"{prose}Example:\n\n{''.join(imports)}{code}"


def docstring(op: Any) -> str:
    """The text of `op.__doc__`."""
    name = shown_name(op.__name__)
    signatures = dict.fromkeys(name + readable(op, schema) for schema in op.schemas)
    found_in = f"Forms: {', '.join(f'`{form}`' for form in forms(op))}."
    parts = ("\n".join(signatures), *notes(op), with_imports(prose(op)), found_in)
    return "\n\n".join(part for part in parts if part) + "\n"
