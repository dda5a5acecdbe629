"""How long the programs are drawn for: `--hypothesis-profile long` for a long search.

The profile that runs by default draws the same programs each time and keeps no database.
"""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings

EXAMPLES = {"bounded": 800, "brief": 12, "long": 6000}
for name, examples in EXAMPLES.items():
    settings.register_profile(
        name,
        max_examples=examples,
        derandomize=name != "long",
        database=None,
        deadline=None,
        print_blob=True,
        suppress_health_check=list(HealthCheck),
    )


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--hypothesis-profile", None) is None:
        settings.load_profile("bounded")
