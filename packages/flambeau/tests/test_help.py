"""What `help()` shows of an op can be typed in as it stands."""

from __future__ import annotations

import doctest
import inspect
import re
import subprocess
import sys
from importlib import import_module
from typing import Any

import pytest

import flambeau
import flambeau_core
import flambeau_core.op_documentation as documentation

OPS = {op.__name__: op for ops in documentation.places().values() for op in ops.values()}
MEMBERS = [
    name
    for name in dir(flambeau.Tensor)
    if name not in documentation.places()["Tensor"]
    and ">>>" in (inspect.getdoc(getattr(flambeau.Tensor, name)) or "")
]
MODULES = ("", "amp", "autograd", "autograd.functional", "autograd.graph", "func", "masked")
MODULES += ("random", "signal.windows", "sparse")


def documented() -> dict[str, Any]:
    """What modules offer besides ops that has an example, by its full name."""
    found = {}
    for name in MODULES:
        module = import_module(f"flambeau.{name}".rstrip("."))
        public = getattr(module, "__all__", None) or [n for n in dir(module) if n[0] != "_"]
        if module is flambeau:
            public = [*public, *flambeau_core._LAZY]
        for member in public:
            value = getattr(module, member)
            if ">>>" in (inspect.getdoc(value) or "") and member not in OPS and callable(value):
                found[f"{name}.{member}"] = value
    return found


SHOWN = {name: op for name, op in OPS.items() if name in documentation.sections()}


class Checker(doctest.OutputChecker):
    """Tells no difference between 0 and -0: which one comes out is up to the linear algebra."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        want, got = (re.sub(r"-(0\.0*)(?![0-9])", r"\1", text) for text in (want, got))
        return super().check_output(want, got, optionflags)


def run(text: str, name: str) -> None:
    test = doctest.DocTestParser().get_doctest(text, {}, name, None, None)
    assert test.examples
    told: list[str] = []
    doctest.DocTestRunner(Checker(), optionflags=doctest.NORMALIZE_WHITESPACE).run(
        test, out=told.append
    )
    assert not told, "".join(told)


@pytest.mark.parametrize("op", SHOWN.values(), ids=SHOWN)
def test_the_example_of_an_op_runs_by_itself(op: Any) -> None:
    run(op.__doc__.rpartition("\n\nForms:")[0], op.__name__)


@pytest.mark.parametrize("name", MEMBERS)
def test_the_example_of_an_attribute_or_method_runs_by_itself(name: str) -> None:
    run(inspect.getdoc(getattr(flambeau.Tensor, name)) or "", name)


@pytest.mark.parametrize(("name", "value"), documented().items(), ids=documented())
def test_the_example_of_a_function_or_class_runs_by_itself(name: str, value: Any) -> None:
    run(inspect.getdoc(value) or "", name)


def test_what_the_namespace_offers_says_what_it_is() -> None:
    assert [
        n for n in flambeau.__all__ if callable(f := getattr(flambeau, n)) and not f.__doc__
    ] == []


def test_attributes_and_methods_say_what_they_are() -> None:
    members = [n for n in dir(flambeau.Tensor) if not n.startswith("_")]
    assert [n for n in members if not inspect.getdoc(getattr(flambeau.Tensor, n))] == []


@pytest.mark.parametrize("name", ["flambeau.add", "flambeau.Tensor.sum", "flambeau.linalg.qr"])
def test_pydoc_finds_an_op_by_its_name(name: str) -> None:
    command = [sys.executable, "-m", "pydoc", name]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert f"{name.split('.')[-1]}(" in text
    assert ">>> torch." in text or ">>> x." in text
