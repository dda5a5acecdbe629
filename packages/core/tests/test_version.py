"""Version strings order as PEP 440 says."""

from __future__ import annotations

import random

import pytest

import flambeau_core as fb
from flambeau_core.version import Version, __version__

# from PEP 440's own example of an order
ORDER = (
    "1.dev0 1.0.dev456 1.0a1 1.0a2.dev456 1.0a12.dev456 1.0a12 1.0b1.dev456 1.0b2 "
    "1.0b2.post345.dev456 1.0b2.post345 1.0rc1.dev456 1.0rc1 1.0 1.0.post456.dev34 "
    "1.0.post456 1.1.dev1"
).split()


def test_order_is_pep440s() -> None:
    assert sorted(random.Random(0).sample(ORDER, len(ORDER)), key=Version) == ORDER


@pytest.mark.parametrize("other", ["0.1", "0.1.0", "0.1.0+cpu", (0, 1), (0, 1, 0)])
def test_equal_to(other: object) -> None:
    assert Version("0.1.0") == other
    assert not Version("0.1.0") != other


def test_numbers_not_text() -> None:
    assert Version("2.10.0") > "2.9.1"
    assert Version("2.10.0") >= (2, 10)
    assert Version("2.10.0") < (2, 11)


def test_is_a_string() -> None:
    assert fb.__version__ == __version__
    assert isinstance(__version__, str)
    assert __version__.split(".")[0] == "0"
    assert hash(Version("1.0")) == hash("1.0")


def test_text_that_is_no_version() -> None:
    assert Version("1.0") != "unknown"
    assert Version("1.0") < "unknown"
