"""Fixtures of the kit."""

from __future__ import annotations

import pytest

from flambeau_testing.conformance.capabilities import Capabilities, probe


@pytest.fixture(scope="session")
def capabilities(device: str) -> Capabilities:
    return probe(device)
