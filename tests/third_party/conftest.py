"""One environment for all tests: Flambeau's wheels, and the toy device installed by pip."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from environment import Environment, wheels  # noqa: E402


@pytest.fixture(scope="session")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    made = Environment(tmp_path_factory.mktemp("environment"))
    made.install(*wheels(), str(HERE / "toy_device"), "pytest>=8")
    return made
