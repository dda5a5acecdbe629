"""Write docs/kernels.md, the reference of the kernels that a backend may supply.

    python tools/make_kernel_reference.py            write the page
    python tools/make_kernel_reference.py --check    change nothing; exit 1 when it is out of date

The rows are read from the header that core and native plugins compile against.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
HEADER = ROOT / "packages" / "core" / "include" / "flambeau" / "kernels.h"
PAGE = ROOT / "docs" / "kernels.md"

STRING = r'"(?:[^"\\]|\\.)*"'
STRINGS = rf"((?:{STRING}\s*)+)"
ROW = re.compile(rf"\{{\s*{STRINGS},\s*{STRINGS},\s*'(\w)',\s*(\d+),\s*{STRINGS},\s*{STRINGS}\}}")
LEVELS = {"r": "required", "p": "primitive", "c": "composed"}
TYPES = {"i": "int", "f": "float", "l": "ints"}

INTRODUCTION = """\
# Kernels

The kernels that a backend may supply, by family. [Writing a device](writing_a_device.md) explains
how one is called. This page is generated from `packages/core/include/flambeau/kernels.h` by
`python tools/make_kernel_reference.py`.

Levels:

- **required**: a device with memory of its own cannot work without it.
- **primitive**: a backend that has all of these needs no fallback, since every other op is composed
  of them.
- **composed**: core has a composition over primitives, and the kernel is there for speed only.

Unless a row says otherwise, inputs are broadcast to the output's shape already, with stride 0
where they stretch, all inputs have one dtype, and outputs overlap no input, except that the output
of an elementwise kernel may be exactly one of its inputs. In a reduction the output has as many
dimensions as the input, and those reduced have size 1. The cost is the work for each element of
the largest array, in cheap operations; core uses it to decide when to release the interpreter lock.

There are {kernels} kernels in {families} families: {required} required, {primitive} primitive and
{composed} composed.
"""


class Kernel(NamedTuple):
    id: str
    family: str
    level: str
    cost: int
    params: str
    note: str


def unquoted(literals: str) -> str:
    """The text of C string literals that stand side by side."""
    return "".join(part[1:-1] for part in re.findall(STRING, literals)).replace('\\"', '"')


def read_kernels(header: str) -> list[Kernel]:
    rows = header[header.index("fb_kernel_rows[]") :]
    return [
        Kernel(unquoted(i), unquoted(f), LEVELS[level], int(cost), unquoted(params), unquoted(note))
        for i, f, level, cost, params, note in ROW.findall(rows)
    ]


def cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")


def params(spec: str) -> str:
    pairs = (part.split(":") for part in spec.split())
    return ", ".join(f"`{name}` {TYPES[kind]}" for kind, name in pairs)


def table(kernels: Iterable[Kernel]) -> str:
    lines = ["| id | level | cost | parameters | inputs, outputs, rules |", "| --- " * 5 + "|"]
    for row in kernels:
        cost = str(row.cost) if row.cost else "by shape"
        cells = (f"`{row.id}`", row.level, cost, params(row.params), cell(row.note))
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def page(kernels: list[Kernel]) -> str:
    families = list(dict.fromkeys(row.family for row in kernels))
    counts = {level: sum(row.level == level for row in kernels) for level in LEVELS.values()}
    parts = [INTRODUCTION.format(kernels=len(kernels), families=len(families), **counts)]
    for family in families:
        parts.append(f"## {family}\n\n{table(row for row in kernels if row.family == family)}\n")
    return "\n".join(parts)


def main() -> int:
    parser = argparse.ArgumentParser(description="Write docs/kernels.md from kernels.h.")
    parser.add_argument("--check", action="store_true", help="only say whether it is up to date")
    check = parser.parse_args().check
    wanted = page(read_kernels(HEADER.read_text(encoding="utf-8")))
    if PAGE.is_file() and PAGE.read_text(encoding="utf-8") == wanted:
        return 0
    if check:
        print(f"{PAGE.relative_to(ROOT)} is out of date: run tools/make_kernel_reference.py")
        return 1
    PAGE.write_text(wanted, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
