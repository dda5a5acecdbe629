"""The floors of the native code: each includes only itself and those below it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

NATIVE = Path(__file__).parents[1] / "native"
FLOORS = ["base", "memory", "dispatch", "tensor", "autograd", "ops", "bindings"]
WITHOUT_PYTHON = FLOORS[:3]
INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]', re.MULTILINE)


def includes(floor: str) -> list[tuple[str, str]]:
    sources = sorted(path for path in (NATIVE / floor).rglob("*") if path.suffix in {".h", ".cpp"})
    assert sources
    return [(path.name, name) for path in sources for name in INCLUDE.findall(path.read_text())]


def test_every_folder_is_a_floor() -> None:
    assert sorted(path.name for path in NATIVE.iterdir() if path.is_dir()) == sorted(FLOORS)


@pytest.mark.parametrize("floor", FLOORS)
def test_a_floor_looks_down_only(floor: str) -> None:
    above = FLOORS[FLOORS.index(floor) + 1 :]
    assert [pair for pair in includes(floor) if pair[1].split("/")[0] in above] == []


@pytest.mark.parametrize("floor", WITHOUT_PYTHON)
def test_the_first_floors_need_no_python(floor: str) -> None:
    python = {"Python.h", "structmember.h", "pybind11"}
    assert [pair for pair in includes(floor) if pair[1].split("/")[0] in python] == []
