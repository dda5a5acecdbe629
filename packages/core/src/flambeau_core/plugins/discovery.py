"""Finding plugins among the installed distributions.

Scanning the metadata of every distribution costs tens of milliseconds, so it happens only for
device types that core does not serve itself, and for listings.
"""

from __future__ import annotations

import os
import re
import sys
from typing import Any

from flambeau_core.plugins.candidate import BackendRefused, Candidate
from flambeau_core.plugins.spec import BackendSpec, version_conflict
from flambeau_core.version import __version__

GROUP = "flambeau.backends"

REFERENCE = BackendSpec(
    device_type="cpu",
    name="reference",
    api_version=1,
    priority=10,
    factory="flambeau_core.reference:open_backend",
)

# Plugins of ours that are tried by module name before any scan.
KNOWN_MODULES = {"cpu": ("flambeau_cpu", "flambeau-cpu")}


def built_in(device_type: str) -> list[Candidate]:
    """The backends to be had without a scan."""
    found = (
        [Candidate("cpu", REFERENCE, "flambeau-core", __version__)] if device_type == "cpu" else []
    )
    if device_type in KNOWN_MODULES:
        module, distribution = KNOWN_MODULES[device_type]
        found += from_module(device_type, module, distribution)
    return found


def from_module(device_type: str, module: str, distribution: str) -> list[Candidate]:
    from importlib import import_module
    from importlib.util import find_spec

    if find_spec(module) is None:
        return []
    return load(device_type, lambda: import_module(module), distribution, None)


def from_entry_points(device_type: str | None = None) -> list[Candidate]:
    """The backends behind the entry points named ``device_type``, or behind all of them."""
    if device_type is not None and not group_is_mentioned():
        return []
    from importlib.metadata import distributions

    found: list[Candidate] = []
    seen: set[tuple[str, str, str]] = set()
    for distribution in distributions():
        for point in distribution.entry_points:
            if point.group != GROUP or device_type not in (None, point.name):
                continue
            owner = normalized(distribution.metadata["Name"])
            # a distribution can be met twice, once for each folder of sys.path that shows it
            if (owner, point.name, point.value) in seen:
                continue
            seen.add((owner, point.name, point.value))
            found += load(point.name, point.load, owner, distribution.version)
    return found


def group_is_mentioned() -> bool:
    """Whether some file of entry points speaks of backends.

    A look at the folders of ``sys.path`` takes a tenth of the time of importing and asking
    ``importlib.metadata``, and most environments have no backend beyond the CPU's.
    """
    for folder in sys.path:
        try:
            entries = list(os.scandir(folder or "."))
        except NotADirectoryError:
            return True  # an archive, which only importlib.metadata can read
        except OSError:
            continue
        for entry in entries:
            if entry.name.endswith((".dist-info", ".egg-info")):
                try:
                    with open(os.path.join(entry.path, "entry_points.txt"), "rb") as points:
                        if GROUP.encode() in points.read():
                            return True
                except OSError:
                    continue
    return False


def normalized(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def load(
    device_type: str, load_plugin: Any, distribution: str, version: str | None
) -> list[Candidate]:
    """Asks one plugin for its backends of a device type; what it raises is kept."""
    try:
        from flambeau_core.plugins.hooks import registered_by

        specs = [spec for spec in registered_by(load_plugin()) if spec.device_type == device_type]
        if not specs:
            raise LookupError(f"it registers no backend of the device type {device_type!r}")
    except Exception as error:
        return [Candidate(device_type, None, distribution, version, error)]
    found = []
    for spec in specs:
        candidate = Candidate(device_type, spec, distribution, version)
        conflict = version_conflict(spec, distribution)
        if conflict:
            candidate.error = BackendRefused(conflict)
        found.append(candidate)
    return found
