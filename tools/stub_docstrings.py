"""The sentences that stubs carry, so that an editor shows them when it completes a name."""

from __future__ import annotations

import ast
import inspect
import textwrap
from typing import Any

from flambeau_core import _C
from flambeau_core.op_documentation import summary

WIDTH = 100
QUOTES = '"""' * 2


def sentence(value: Any) -> str:
    """What an object's docstring says first, without the signature that some start with."""
    if isinstance(value, type(_C.add)):
        return summary(value)
    text = inspect.getdoc(value) or ""
    first, _, rest = text.partition("\n\n")
    if "(" in first.split(" ")[0]:
        first = rest.split("\n\n")[0]
    return " ".join(first.split())


def docstring(text: str, indent: int) -> str:
    escaped = text.replace("\\", "\\\\").replace('"""', '\\"""')
    escaped += " " * escaped.endswith('"')
    lines = textwrap.wrap(escaped, WIDTH - indent - len(QUOTES))
    return '"""' + ("\n" + " " * indent).join(lines) + '"""'


def with_docstrings(stub: str, module: Any) -> str:
    """The stub with a sentence in place of the `...` of each definition that has one."""
    lines = stub.split("\n")
    found: list[tuple[int, int, str]] = []

    def visit(body: list[ast.stmt], holder: Any, indent: int) -> None:
        for node in body:
            if isinstance(node, ast.ClassDef):
                visit(node.body, getattr(holder, node.name, None), indent + 4)
            elif isinstance(node, ast.FunctionDef) and node.name[:2] != "__":
                inside = node.body[0]
                text = sentence(inspect.getattr_static(holder, node.name, None))
                if text and isinstance(inside, ast.Expr) and is_ellipsis(inside.value):
                    found.append((inside.lineno - 1, inside.col_offset, docstring(text, indent)))

    visit(ast.parse(stub).body, module, 4)
    for row, column, text in reversed(found):
        lines[row] = f"{lines[row][:column]}{text}{lines[row][column + 3 :]}"
    return "\n".join(lines)


def is_ellipsis(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is ...
