"""Finding, choosing and opening device backends.

Plugins are laid out as installed distributions on a path of their own; each test starts with a
registry that knows none of them.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import flambeau_core as fb
from flambeau_core import plugins
from flambeau_core.__main__ import main
from flambeau_core.plugins import API_VERSION, BackendSpec, choice, discovery, registry
from flambeau_core.plugins.errors import DeviceNotServed
from flambeau_core.plugins.spec import version_conflict


class MemoryBackend:
    """The smallest object of the Python backend protocol."""

    host_memory = True

    def __init__(self, device_type: str, name: str = "memory") -> None:
        self.device_type = device_type
        self.name = name

    def device_count(self) -> int:
        return 2

    def synchronize(self, device_index: int) -> None:
        pass

    def view(self, buffer: Any, offset: int, shape: Any, strides: Any, dtype: str) -> Any:
        return memoryview(buffer)[offset:]

    def kernel(self, id: str, dtype: str) -> None:
        return None


class CoreStub:
    """Records what the registry hands to the native side."""

    def __init__(self) -> None:
        self.installed: list[tuple[str, str]] = []
        self.used: list[tuple[str, str]] = []
        self.fallback: bool | None = None

    def install_backend(self, device_type: str, name: str, backend: Any) -> None:
        self.installed.append((device_type, name))

    def use_backend(self, device_type: str, name: str) -> None:
        self.used.append((device_type, name))

    def set_cpu_fallback(self, enabled: bool) -> None:
        self.fallback = enabled


@pytest.fixture
def core(monkeypatch: pytest.MonkeyPatch) -> Iterator[CoreStub]:
    """A fresh registry in front of a recorder; the process's own stays as it is."""
    stub = CoreStub()
    monkeypatch.setattr(fb, "_C", stub)
    monkeypatch.setattr(registry, "_registry", registry.Registry())
    monkeypatch.setattr(choice, "_chosen", {})
    monkeypatch.setattr(discovery, "KNOWN_MODULES", {})
    monkeypatch.delenv(choice.VARIABLE, raising=False)
    yield stub


REGISTRATION = """
from flambeau_core.plugins import BackendSpec, hookimpl

{top}

@hookimpl
def {hook}():
    return [BackendSpec({spec})]
"""

OBJECT = """
class Device:
    name = "{name}"
    device_type = "{device_type}"
    host_memory = True

    def device_count(self):
        return 1

    def synchronize(self, device_index):
        pass

    def view(self, buffer, offset, shape, strides, dtype):
        return buffer

    def kernel(self, id, dtype):
        return None


def open_device():
    return Device()
"""


class Site:
    """A folder of installed distributions."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def install(
        self,
        distribution: str,
        device_type: str = "toy",
        name: str = "slow",
        version: str = "1.2",
        hook: str = "flambeau_register_backends",
        top: str = "",
        spec: str = "",
    ) -> None:
        module = distribution.replace("-", "_")
        info = self.path / f"{module}-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {version}\n"
        )
        (info / "entry_points.txt").write_text(f"[flambeau.backends]\n{device_type} = {module}\n")
        spec = spec or (
            f'"{device_type}", "{name}", api_version={API_VERSION}, '
            f'factory="{module}_device:open_device"'
        )
        (self.path / f"{module}.py").write_text(REGISTRATION.format(top=top, hook=hook, spec=spec))
        (self.path / f"{module}_device.py").write_text(
            OBJECT.format(name=name, device_type=device_type)
        )


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, core: CoreStub) -> Iterator[Site]:
    monkeypatch.syspath_prepend(str(tmp_path))
    before = set(sys.modules)
    yield Site(tmp_path)
    for module in set(sys.modules) - before:
        if str(tmp_path) in str(getattr(sys.modules[module], "__file__", "")):
            del sys.modules[module]


def row(device_type: str, name: str) -> dict[str, Any]:
    return next(
        r for r in plugins.backends() if (r["device_type"], r["name"]) == (device_type, name)
    )


# -- finding --------------------------------------------------------------------------


def test_opens_what_the_entry_point_registers(site: Site, core: CoreStub) -> None:
    site.install("flambeau-toy")
    assert plugins.open_device("toy") == "slow"
    assert plugins.open_device("toy") == "slow"
    assert core.installed == [("toy", "slow")]
    assert plugins.current_backend("toy") == "slow"
    assert row("toy", "slow")["state"] == "in use"
    assert row("toy", "slow")["version"] == "1.2"


def test_listing_opens_nothing(site: Site, core: CoreStub) -> None:
    site.install("flambeau-toy")
    assert row("toy", "slow")["state"] == "ready"
    assert "toy" in plugins.device_types()
    assert core.installed == []
    assert "flambeau_toy_device" not in sys.modules


def test_another_device_type_is_not_loaded(site: Site) -> None:
    site.install("flambeau-toy")
    site.install("flambeau-other", device_type="other", top="raise RuntimeError('must not run')")
    plugins.open_device("toy")
    assert "flambeau_other" not in sys.modules


def test_reference_opens_without_reading_entry_points(
    core: CoreStub, monkeypatch: pytest.MonkeyPatch
) -> None:
    def scan(device_type: str | None = None) -> list[Any]:
        raise AssertionError("entry points were read")

    monkeypatch.setattr(discovery, "from_entry_points", scan)
    assert plugins.open_device("cpu") == "reference"


def test_import_loads_no_plugin_machinery() -> None:
    code = (
        "import sys, flambeau_core; "
        "print([m for m in ('pluggy', 'importlib.metadata', 'numpy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# -- what goes wrong ------------------------------------------------------------------


def test_unknown_device_type(site: Site) -> None:
    site.install("flambeau-toy")
    with pytest.raises(RuntimeError, match=r"Expected one of cpu, cuda, .*, toy device type") as e:
        plugins.open_device("foo")
    assert str(e.value).endswith("at start of device string: foo")


@pytest.mark.parametrize("kind", [RuntimeError, AssertionError])
def test_cuda_without_a_plugin_says_what_to_install(core: CoreStub, kind: type) -> None:
    with pytest.raises(kind, match="'cuda': pip install flambeau-cuda or flambeau-cupy") as e:
        plugins.open_device("cuda")
    assert isinstance(e.value, DeviceNotServed)


def test_broken_plugin_raises_with_its_cause_when_asked_for(site: Site) -> None:
    site.install("flambeau-broken", device_type="broken", top="import no_such_library")
    site.install("flambeau-toy")
    assert plugins.open_device("toy") == "slow"
    with pytest.raises(RuntimeError, match="flambeau-broken 1.2 for the device type 'broken'") as e:
        plugins.open_device("broken")
    assert isinstance(e.value.__cause__, ModuleNotFoundError)
    assert row("broken", "?")["state"] == "broken"
    assert "no_such_library" in row("broken", "?")["reason"]


def test_factory_failure_is_the_cause(site: Site) -> None:
    spec = f'"toy", "slow", api_version={API_VERSION}, factory="flambeau_toy:missing"'
    site.install("flambeau-toy", spec=spec)
    with pytest.raises(RuntimeError, match="failed to open: AttributeError") as e:
        plugins.open_device("toy")
    assert isinstance(e.value.__cause__, AttributeError)
    assert row("toy", "slow")["state"] == "broken"


def test_incomplete_backend_is_refused(core: CoreStub) -> None:
    class Half:
        name = "half"
        device_type = "half"
        host_memory = False

    with pytest.raises(TypeError, match="lacks device_count, .*, allocate, copy_from_host"):
        plugins.register_backend(Half())


def test_misspelled_hook(site: Site) -> None:
    site.install("flambeau-toy", hook="flambeau_register_backend")
    with pytest.raises(RuntimeError, match="flambeau_register_backend"):
        plugins.open_device("toy")


def test_entry_point_of_another_name(site: Site) -> None:
    spec = f'"elsewhere", "slow", api_version={API_VERSION}, factory="m:f"'
    site.install("flambeau-toy", spec=spec)
    with pytest.raises(RuntimeError, match="registers no backend of the device type 'toy'"):
        plugins.open_device("toy")


@pytest.mark.parametrize(
    ("version", "side"), [(API_VERSION + 1, "flambeau-core"), (0, "flambeau-toy")]
)
def test_version_conflict_names_the_side_to_upgrade(site: Site, version: int, side: str) -> None:
    site.install("flambeau-toy", spec=f'"toy", "slow", api_version={version}, factory="m:f"')
    with pytest.raises(RuntimeError, match=f"speaks version {version} .*: upgrade {side}$"):
        plugins.open_device("toy")
    assert row("toy", "slow")["state"] == "refused"


def test_equal_versions_do_not_conflict() -> None:
    assert version_conflict(BackendSpec("toy", "slow", API_VERSION), "x") is None


def test_duplicates_name_both_distributions(site: Site) -> None:
    site.install("flambeau-toy")
    site.install("other-toy")
    with pytest.raises(RuntimeError, match="both offer the backend 'slow'") as e:
        plugins.open_device("toy")
    assert "flambeau-toy 1.2" in str(e.value)
    assert "other-toy 1.2" in str(e.value)


def test_unavailable_backend_gives_its_probes_reason(site: Site) -> None:
    spec = (
        f'"toy", "slow", api_version={API_VERSION}, probe=lambda: "no toy is plugged in", '
        f'factory="m:f"'
    )
    site.install("flambeau-toy", spec=spec)
    assert row("toy", "slow")["state"] == "unavailable"
    assert not plugins.is_available("toy")
    with pytest.raises(RuntimeError, match="cannot serve .*: no toy is plugged in"):
        plugins.open_device("toy")


def test_broken_plugin_beside_a_good_one_warns(site: Site) -> None:
    site.install("flambeau-toy")
    site.install("other-toy", name="fast", top="import no_such_library")
    with pytest.warns(RuntimeWarning, match="other-toy 1.2: ModuleNotFoundError"):
        assert plugins.open_device("toy") == "slow"


# -- choosing -------------------------------------------------------------------------


def two_backends(site: Site) -> None:
    site.install("flambeau-toy", name="slow")
    spec = (
        f'"toy", "fast", api_version={API_VERSION}, priority=50, '
        f'factory="fast_toy_device:open_device"'
    )
    site.install("fast-toy", name="fast", spec=spec)


def test_highest_priority_wins(site: Site) -> None:
    two_backends(site)
    assert plugins.open_device("toy") == "fast"


def test_environment_chooses(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    two_backends(site)
    monkeypatch.setenv("FLAMBEAU_BACKEND", "cpu=reference, toy=slow")
    assert plugins.open_device("toy") == "slow"
    assert plugins.open_device("cpu") == "reference"


def test_environment_that_cannot_be_read(core: CoreStub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLAMBEAU_BACKEND", "reference")
    with pytest.raises(RuntimeError, match="FLAMBEAU_BACKEND holds 'reference'"):
        plugins.open_device("cpu")


def test_set_backend_switches_and_returns(site: Site, core: CoreStub) -> None:
    two_backends(site)
    plugins.open_device("toy")
    plugins.set_backend("toy", "slow")
    assert plugins.current_backend("toy") == "slow"
    plugins.set_backend("toy", None)
    assert plugins.current_backend("toy") == "fast"
    assert core.used == [("toy", "slow"), ("toy", "fast")]


def test_use_backend_restores(site: Site) -> None:
    two_backends(site)
    with pytest.raises(KeyError), plugins.use_backend("toy", "slow"):
        assert plugins.current_backend("toy") == "slow"
        raise KeyError
    assert plugins.current_backend("toy") == "fast"


def test_unknown_backend_lists_those_there_are(site: Site) -> None:
    two_backends(site)
    with pytest.raises(RuntimeError, match="no backend named 'quick'; its backends: fast, slow"):
        plugins.set_backend("toy", "quick")


def test_register_backend_of_this_process(core: CoreStub) -> None:
    plugins.register_backend(MemoryBackend("notebook"))
    assert plugins.open_device("notebook") == "memory"
    assert plugins.device_count("notebook") == 2
    with pytest.raises(RuntimeError, match="has a backend named 'memory' already"):
        plugins.register_backend(MemoryBackend("notebook"))


def test_register_backend_checks_the_version(core: CoreStub) -> None:
    with pytest.raises(RuntimeError, match="upgrade flambeau-core"):
        plugins.register_backend(BackendSpec("notebook", "new", API_VERSION + 1))


# -- settings and commands ------------------------------------------------------------


def test_cpu_fallback_from_the_environment(core: CoreStub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugins.fallback, "_set_by_user", False)
    monkeypatch.setenv("FLAMBEAU_CPU_FALLBACK", "1")
    plugins.open_device("cpu")
    assert core.fallback is True


def test_cpu_fallback_setting_outweighs_the_environment(
    core: CoreStub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plugins.fallback, "_set_by_user", False)
    monkeypatch.setenv("FLAMBEAU_CPU_FALLBACK", "1")
    plugins.set_cpu_fallback(False)
    plugins.open_device("cpu")
    assert core.fallback is False


def test_doctor(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    site.install("flambeau-toy")
    site.install("flambeau-broken", device_type="broken", top="import no_such_library")
    assert main(["doctor"]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["toy", "slow", "flambeau-toy", "1.2", str(API_VERSION), "ready"] in lines
    broken = next(line for line in lines if line[:1] == ["broken"])
    assert broken[1:7] == ["?", "flambeau-broken", "1.2", "?", "broken", "ModuleNotFoundError:"]
    assert any(line[:3] == ["cpu", "reference", "flambeau-core"] for line in lines)


def test_include_dir_holds_the_headers(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--include-dir"]) == 0
    folder = Path(capsys.readouterr().out.strip())
    assert (folder / "flambeau" / "backend.h").is_file()
    assert (folder / "flambeau" / "kernels.h").is_file()
