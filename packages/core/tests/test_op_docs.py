"""Every op documents itself: prose, a signature, and an example that prints what it says."""

from __future__ import annotations

import doctest
import inspect
import pydoc
import re
import subprocess
import sys
from typing import Any

import pytest

import flambeau_core
from flambeau_core import Tensor, nn_ops, op_documentation
from flambeau_core.op_documentation import FOLDER, Section, places, section, sections
from flambeau_core.op_signatures import parameters

OPS = {op.__name__: op for ops in places().values() for op in ops.values()}
SECTIONS = list(dict.fromkeys(sections().values()))
LOOSE = doctest.NORMALIZE_WHITESPACE


class Checker(doctest.OutputChecker):
    """Tells no difference between 0 and -0: which one comes out is up to the linear algebra."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        want, got = (re.sub(r"-(0\.(0*)(?![0-9]))", r"\1", text) for text in (want, got))
        return super().check_output(want, got, optionflags)


def example(of: Section) -> doctest.DocTest:
    names = {"torch": flambeau_core, "F": nn_ops}
    return doctest.DocTestParser().get_doctest(of.text, names, of.names[0], of.family, 0)


@pytest.mark.parametrize("of", SECTIONS, ids=lambda of: of.names[0])
def test_example_prints_what_it_says(of: Section) -> None:
    test = example(of)
    assert test.examples
    told: list[str] = []
    doctest.DocTestRunner(Checker(), optionflags=LOOSE).run(test, out=told.append)
    assert not told, "".join(told)


def test_every_op_has_prose() -> None:
    silent = sorted(name for name, op in OPS.items() if section(op) is None)
    assert silent == [], "write a section in flambeau_core/op_docs"


def test_every_section_is_of_an_op() -> None:
    assert [name for name in sections() if name not in OPS] == []


def test_no_name_has_two_sections() -> None:
    headings = re.findall(
        r"^## (.+)$", "".join(f.read_text("utf-8") for f in FOLDER.glob("*.md")), re.MULTILINE
    )
    names = [name for heading in headings for name in heading.split(", ")]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("of", SECTIONS, ids=lambda of: of.names[0])
def test_arguments_that_are_explained_exist(of: Section) -> None:
    lists = re.findall(r"^- ((?:`\w+`(?:, )?)+):", of.text, re.MULTILINE)
    explained = {name for names in lists for name in re.findall(r"\w+", names)}
    op = OPS[of.names[0]]
    declared = {p.name for schema in op.schemas for p in parameters(schema)} | {"memory_format"}
    assert explained <= declared


def test_signatures_are_those_of_the_declaration() -> None:
    assert str(inspect.signature(flambeau_core.add)) == "(input, other, *, alpha=1, out=None)"
    assert str(inspect.signature(Tensor.sum)) == (
        "(input, dim=None, keepdim=False, *, dtype=None, out=None)"
    )
    assert str(inspect.signature(flambeau_core.zeros(1).sum)) == (
        "(dim=None, keepdim=False, *, dtype=None, out=None)"
    )
    assert str(inspect.signature(flambeau_core.cartesian_prod)).startswith("(*tensors")


@pytest.mark.parametrize("name", sorted(OPS))
def test_every_op_has_a_signature_and_a_docstring(name: str) -> None:
    op: Any = OPS[name]
    assert isinstance(inspect.signature(op), inspect.Signature)
    first, *rest = op.__doc__.splitlines()
    assert first.startswith(f"{op_documentation.shown_name(name)}(")
    assert any(line.startswith("Forms: ") for line in rest)


def test_a_docstring_tells_signature_prose_example_and_forms() -> None:
    text = str(flambeau_core.add.__doc__)
    assert text.startswith("add(input, other, *, alpha=1, out=None) -> Tensor\n\nThe sum")
    assert "\nExample:\n\n    >>> import flambeau as torch\n    >>> torch.add(" in text
    assert text.endswith(
        "Forms: `flambeau.add`, `Tensor.add`, `flambeau.add_`, `Tensor.add_`, `out=`.\n"
    )


def test_a_docstring_tells_what_is_returned() -> None:
    def first_line(name: str) -> str:
        return str(OPS[name].__doc__).splitlines()[0]

    assert first_line("chunk").endswith("-> tuple of Tensors")
    assert first_line("equal").endswith("-> bool")
    assert first_line("linalg_qr").endswith("-> (Q, R)")
    assert "max(input, dim, keepdim=False, *, out=None) -> (values, indices)" in str(
        flambeau_core.max.__doc__
    )


def test_other_forms_of_an_op_point_at_it() -> None:
    assert "An alias of `mul`." in str(flambeau_core.multiply.__doc__)
    assert "The in-place form of `add`" in str(Tensor.add_.__doc__)
    assert "The in-place form of `transpose`" in str(Tensor.transpose_.__doc__)
    assert "The operator form of `add`." in str(Tensor.__add__.__doc__)
    assert "`flambeau.special.psi`" in str(flambeau_core.digamma.__doc__)


def test_help_shows_all_of_it() -> None:
    text = pydoc.plain(pydoc.render_doc(flambeau_core.add))
    assert "add(input, other, *, alpha=1, out=None)" in text
    assert ">>> torch.add(" in text
    method = pydoc.plain(pydoc.render_doc(flambeau_core.ones(2).add))
    assert "add(other, *, alpha=1, out=None)" in method


def test_documentation_is_read_only_when_asked_for() -> None:
    program = (
        "import sys, flambeau_core; name = 'flambeau_core.op_documentation'; "
        "assert name not in sys.modules; flambeau_core.add.__doc__; assert name in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
