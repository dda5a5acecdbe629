"""Plugins that cannot be used stand in nobody's way, and say why when their device is asked for."""

from __future__ import annotations

from pathlib import Path

import pytest
from environment import Environment, write_plugin

ASK = """
import flambeau_core as torch

print((torch.ones(2) + 1).tolist())
for device in {devices}:
    try:
        print(torch.ones(2, device=device).device)
    except RuntimeError as error:
        print(error)
        print(type(error.__cause__).__name__)
"""


@pytest.fixture(scope="module")
def site(environment: Environment, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Packages of four faulty plugins, in a folder that only these tests put on the path."""
    sources, site = tmp_path_factory.mktemp("plugins"), tmp_path_factory.mktemp("site")
    projects = [
        write_plugin(sources, "flambeau-broken", "broken", top="import no_such_library"),
        write_plugin(sources, "flambeau-old", "old", api_version=0),
        write_plugin(sources, "flambeau-future", "future", api_version=99),
        write_plugin(sources, "flambeau-toy-again", "toy", backend="toy"),
    ]
    environment.install("--no-deps", "--target", str(site), *map(str, projects))
    return site


def test_nothing_is_heard_of_them_elsewhere(environment: Environment, site: Path) -> None:
    assert environment.output(ASK.format(devices=[]), path=site) == "[2.0, 2.0]"


def test_a_broken_plugin(environment: Environment, site: Path) -> None:
    assert environment.output(ASK.format(devices=["broken"]), path=site).splitlines() == [
        "[2.0, 2.0]",
        "the plugin of flambeau-broken 1.2 for the device type 'broken' failed to load: "
        "ModuleNotFoundError: No module named 'no_such_library'",
        "ModuleNotFoundError",
    ]


def test_another_version_of_the_interface(environment: Environment, site: Path) -> None:
    lines = environment.output(ASK.format(devices=["old", "future"]), path=site).splitlines()
    assert lines[1] == (
        "the backend 'fast' of flambeau-old speaks version 0 of the backend API and this "
        "flambeau-core speaks 1: upgrade flambeau-old"
    )
    assert lines[3] == (
        "the backend 'fast' of flambeau-future speaks version 99 of the backend API and this "
        "flambeau-core speaks 1: upgrade flambeau-core"
    )


def test_a_duplicate(environment: Environment, site: Path) -> None:
    message = environment.output(ASK.format(devices=["toy"]), path=site).splitlines()[1]
    assert "flambeau-toy 1.0" in message
    assert "flambeau-toy-again 1.2" in message
    assert message.endswith(
        "both offer the backend 'toy' of the device type 'toy': uninstall one of them"
    )


def test_the_good_one_works_without_the_duplicate(environment: Environment) -> None:
    assert environment.output(ASK.format(devices=["toy"])).splitlines()[1] == "toy:0"


def test_doctor_lists_them_with_the_reason(environment: Environment, site: Path) -> None:
    done = environment.run("-m", "flambeau_core", "doctor", path=site)
    rows = {line.split()[2]: line.split() for line in done.stdout.splitlines()[3:]}
    assert rows["flambeau-broken"][5:7] == ["broken", "ModuleNotFoundError:"]
    for name in ("flambeau-old", "flambeau-future", "flambeau-toy", "flambeau-toy-again"):
        assert rows[name][5] == "refused"
