"""Options of pytest for tests that run on any device: `--device`, `--backend`, and a fixture.

    pytest --device cpu --backend reference

The fixture `device` is the device's name. Child processes use the same backend.
"""

from __future__ import annotations

import os
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from flambeau_testing.conformance import report

MARKER = "flambeau_conformance"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("flambeau")
    group.addoption("--device", default="cpu", help="the device to test on (cpu)")
    group.addoption("--backend", help="the backend of that device's type to use")
    group.addoption(
        "--known-failures",
        type=Path,
        metavar="FILE",
        help="tests expected to fail: a line each of the test's name, ': ' and the reason",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", f"{MARKER}: part of the conformance kit for backends")
    backend = config.getoption("--backend")
    if backend is None:
        return
    from flambeau_core import plugins

    device_type = str(config.getoption("--device")).partition(":")[0]
    try:
        plugins.set_backend(device_type, backend)
    except (RuntimeError, ImportError) as error:
        raise pytest.UsageError(str(error)) from error
    os.environ["FLAMBEAU_BACKEND"] = f"{device_type}={backend}"


def pytest_report_header(config: pytest.Config) -> str:
    backend = config.getoption("--backend") or "default"
    return f"flambeau: device {config.getoption('--device')}, {backend} backend"


@pytest.fixture(scope="session")
def device(request: pytest.FixtureRequest) -> str:
    """The name of the device under test."""
    return str(request.config.getoption("--device"))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    path = config.getoption("--known-failures")
    if path is None:
        return
    reasons = report.known_failures(path)
    for item in items:
        if item.name in reasons:
            reason = reasons.pop(item.name)
            item.add_marker(pytest.mark.xfail(reason=reason, strict=True))
    if reasons:
        unknown = ", ".join(sorted(reasons))
        raise pytest.UsageError(f"{path} names tests that do not exist: {unknown}")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """A kernel that a backend lacks is no failure of the kit but something left to do."""
    try:
        return (yield)
    except NotImplementedError as error:
        if item.get_closest_marker(MARKER) is None or not report.is_missing_kernel(error):
            raise
        pytest.skip(f"missing kernel: {error}")


def pytest_terminal_summary(terminalreporter: Any, exitstatus: int, config: pytest.Config) -> None:
    stats = terminalreporter.stats
    skipped = [r.longrepr[2] for r in stats.get("skipped", []) if isinstance(r.longrepr, tuple)]
    sections = {"kernels that tests were skipped for": report.summary(skipped)}
    if any(MARKER in r.keywords for r in stats.get("passed", [])):
        from flambeau_testing.conformance.coverage import measure

        sections["kernels of the backend"] = measure(config.getoption("--device")).lines()
    for title, lines in sections.items():
        if lines:
            terminalreporter.section(title)
        for line in lines:
            terminalreporter.write_line(line)
