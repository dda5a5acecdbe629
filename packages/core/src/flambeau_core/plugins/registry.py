"""The backends of this process: which are known, which is used, and opening them."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from flambeau_core.plugins import discovery, fallback
from flambeau_core.plugins.candidate import BackendRefused, Candidate, describe
from flambeau_core.plugins.choice import choose, chosen, explicit, from_environment
from flambeau_core.plugins.errors import not_served
from flambeau_core.plugins.protocol import check_backend
from flambeau_core.plugins.spec import BackendSpec, version_conflict


class Registry:
    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.registered: list[Candidate] = []
        self.known: dict[str, list[Candidate]] = {}
        self.scanned: set[str] = set()
        self.scanned_all = False
        self.in_use: dict[str, Candidate] = {}

    def candidates(self, device_type: str, scan: bool = False) -> list[Candidate]:
        """The known backends of a device type; the entry points are read once, if needed."""
        if device_type not in self.known:
            self.known[device_type] = discovery.built_in(device_type)
        ours = [c for c in self.registered if c.device_type == device_type]
        needed = scan or not (ours or self.known[device_type])
        if needed and not self.scanned_all and device_type not in self.scanned:
            self.scanned.add(device_type)
            self.merge(discovery.from_entry_points(device_type))
        return ours + self.known[device_type]

    def scan_all(self) -> list[Candidate]:
        for device_type in ("cpu", *discovery.KNOWN_MODULES):
            self.candidates(device_type)
        if not self.scanned_all:
            self.scanned_all = True
            self.merge(discovery.from_entry_points())
        return self.registered + [c for found in self.known.values() for c in found]

    def merge(self, found: list[Candidate]) -> None:
        """Adds scanned candidates; those known by module name only learn their version."""
        for new in found:
            known = self.known.setdefault(new.device_type, [])
            same = [c for c in known if c.name == new.name]
            own = next((c for c in same if c.distribution == new.distribution), None)
            if own is not None:
                own.version = new.version
                continue
            if same and new.spec is not None:
                refuse_duplicates(same[0], new)
            known.append(new)

    def select(self, device_type: str, name: str | None) -> Candidate:
        """The candidate to open: the named one, else the usable one of highest priority."""
        found = self.candidates(device_type)
        if name is not None:
            if all(c.name != name for c in found):
                found = self.candidates(device_type, scan=True)
            return named(device_type, name, found, self.installed_types)
        if not found:
            raise not_served(device_type, self.installed_types())
        return best(device_type, found)

    def installed_types(self) -> list[str]:
        return sorted({c.device_type for c in self.scan_all()})

    def open(self, device_type: str, name: str | None) -> Candidate:
        """Installs a backend into core unless it is there already."""
        candidate = self.select(device_type, name)
        if not candidate.installed:
            install(candidate)
        return candidate


_registry = Registry()


def refuse_duplicates(first: Candidate, second: Candidate) -> None:
    error = BackendRefused(
        f"{first.origin} and {second.origin} both offer the backend {first.name!r} of the device "
        f"type {first.device_type!r}: uninstall one of them"
    )
    for candidate in (first, second):
        if candidate.error is None and not candidate.installed:
            candidate.error = error


def named(device_type: str, name: str, found: list[Candidate], installed_types: Any) -> Candidate:
    for candidate in found:
        if candidate.name == name:
            raise_if_unusable(candidate)
            return candidate
    for candidate in found:
        if candidate.spec is None:  # the backend may be one that a broken plugin would have named
            raise_if_unusable(candidate)
    if not found:
        raise not_served(device_type, installed_types())
    names = ", ".join(sorted({c.name for c in found}))
    raise RuntimeError(
        f"the device type {device_type!r} has no backend named {name!r}; its backends: {names}"
    )


def best(device_type: str, found: list[Candidate]) -> Candidate:
    """The usable candidate of highest priority; broken ones beside it are warned of."""
    states = [(c, c.state()) for c in found]
    usable = [c for c, (state, _) in states if state in ("open", "ready")]
    faulty = [c for c, (state, _) in states if state in ("broken", "refused")]
    if not usable:
        for candidate in [*faulty, *found]:
            raise_if_unusable(candidate)
    for candidate in faulty:
        warnings.warn(
            f"a backend of the device type {device_type!r} cannot be used ({candidate.origin}: "
            f"{candidate.state()[1]}); python -m flambeau_core doctor lists all",
            RuntimeWarning,
            stacklevel=3,
        )
    return min(usable, key=lambda c: (-c.priority, c.name))


def raise_if_unusable(candidate: Candidate) -> None:
    state, reason = candidate.state()
    if state in ("open", "ready"):
        return
    kind = repr(candidate.device_type)
    if state == "refused":
        raise RuntimeError(reason) from candidate.error
    if state == "broken":
        raise RuntimeError(
            f"the plugin of {candidate.origin} for the device type {kind} failed to load: {reason}"
        ) from candidate.error
    raise RuntimeError(
        f"the backend {candidate.name!r} of {candidate.origin} cannot serve the device type "
        f"{kind} here: {reason}"
    )


def install(candidate: Candidate) -> None:
    """Builds the backend and hands it to core; what the plugin raises is the cause."""
    from flambeau_core import _C

    spec = candidate.spec
    assert spec is not None
    fallback.apply_environment()
    try:
        backend = spec.build()
        check_backend(backend)
        _C.install_backend(candidate.device_type, candidate.name, backend)
    except Exception as error:
        candidate.error = error
        hint = "; FLAMBEAU_BACKEND=cpu=reference does without it"
        raise RuntimeError(
            f"the backend {spec.name!r} of {candidate.origin} for the device type "
            f"{spec.device_type!r} failed to open: {describe(error)}"
            f"{hint if spec.device_type == 'cpu' and spec.name != 'reference' else ''}"
        ) from error
    candidate.backend = backend


def open_device(device_type: str) -> str:
    """Opens the chosen backend of a device type and returns its name.

    Core calls this when a device of that type is first used.

    Raises:
        RuntimeError: no backend serves the type, or the one chosen cannot be used; the plugin's
            own exception is the cause.
    """
    return candidate_in_use(device_type).name


def open_backend(device_type: str) -> Any:
    """The backend itself that open_device opens: a capsule or an object."""
    return candidate_in_use(device_type).backend


def candidate_in_use(device_type: str) -> Candidate:
    with _registry.lock:
        candidate = _registry.in_use.get(device_type)
        if candidate is None:
            candidate = _registry.open(device_type, chosen(device_type))
            _registry.in_use[device_type] = candidate
        return candidate


def open_another(device_type: str) -> bool:
    """Installs the next usable backend of a device type beside the one in use.

    Core calls this when that one lacks a kernel, and borrows from the other. False where every
    backend is installed or unusable.
    """
    from flambeau_core import _C

    with _registry.lock:
        in_use = candidate_in_use(device_type)
        for candidate in sorted(_registry.candidates(device_type), key=lambda c: -c.priority):
            if candidate.state()[0] == "ready":
                try:
                    install(candidate)
                except RuntimeError:
                    continue  # kept as the candidate's error, which doctor shows
                _C.use_backend(device_type, in_use.name)
                return True
    return False


def set_backend(device_type: str, name: str | None) -> None:
    """Uses the backend ``name`` for a device type from now on; None returns to the default.

    Tensors stay valid across a switch between backends that share host memory, as those of the
    device type ``cpu`` do.

    Raises:
        RuntimeError: there is no such backend, or it cannot be used.

    Example:

        >>> import flambeau as torch
        >>> torch.set_backend("cpu", None)
    """
    from flambeau_core import _C

    with _registry.lock:
        candidate = _registry.open(device_type, name or from_environment().get(device_type))
        _C.use_backend(device_type, candidate.name)
        _registry.in_use[device_type] = candidate
        choose(device_type, name)


@contextmanager
def use_backend(device_type: str, name: str) -> Iterator[None]:
    """Uses a backend inside a ``with`` block, for every thread.

    Example:

        >>> import flambeau as torch
        >>> with torch.use_backend("cpu", "reference"):
        ...     torch.ones(2) + 1
        tensor([2., 2.])
    """
    before = explicit(device_type)
    set_backend(device_type, name)
    try:
        yield
    finally:
        set_backend(device_type, before)


def is_available(device_type: str) -> bool:
    """Whether some backend can serve a device type here. Opens nothing."""
    with _registry.lock:
        found = _registry.candidates(device_type)
        return any(candidate.state()[0] in ("open", "ready") for candidate in found)


def current_backend(device_type: str) -> str | None:
    """The name of the backend in use, or None while no device of the type was used."""
    candidate = _registry.in_use.get(device_type)
    return candidate.name if candidate else None


def register_backend(backend: BackendSpec | Any) -> None:
    """Adds a backend from this process: for tests and notebooks.

    ``backend`` is a BackendSpec or an object of the Python backend protocol with ``name`` and
    ``device_type``.

    Raises:
        RuntimeError: the device type has a backend of that name already, or the spec is of
            another API version.
    """
    spec = backend if isinstance(backend, BackendSpec) else spec_of(backend)
    with _registry.lock:
        conflict = version_conflict(spec, "this process")
        if conflict:
            raise RuntimeError(conflict)
        if any(c.name == spec.name for c in _registry.candidates(spec.device_type)):
            raise RuntimeError(
                f"the device type {spec.device_type!r} has a backend named {spec.name!r} already"
            )
        _registry.registered.append(Candidate(spec.device_type, spec))


def spec_of(backend: Any) -> BackendSpec:
    check_backend(backend)
    return BackendSpec(
        device_type=backend.device_type,
        name=backend.name,
        api_version=getattr(backend, "api_version", 1),
        priority=getattr(backend, "priority", 0),
        factory=lambda: backend,
    )


def backends() -> list[dict[str, Any]]:
    """Every backend of every installed plugin, whether usable or not.

    Each row has ``device_type``, ``name``, ``distribution``, ``version``, ``api_version``,
    ``priority``, ``state`` (in use, open, ready, unavailable, refused, broken) and ``reason``.
    """
    with _registry.lock:
        rows = []
        for candidate in _registry.scan_all():
            state, reason = candidate.state()
            if candidate is _registry.in_use.get(candidate.device_type):
                state = "in use"
            rows.append(
                {
                    "device_type": candidate.device_type,
                    "name": candidate.name,
                    "distribution": candidate.distribution or candidate.origin,
                    "version": candidate.version,
                    "api_version": candidate.spec.api_version if candidate.spec else None,
                    "priority": candidate.priority,
                    "state": state,
                    "reason": reason,
                }
            )
    return sorted(rows, key=lambda row: (row["device_type"], -row["priority"], row["name"]))


def device_types() -> list[str]:
    """The device types that some installed plugin serves."""
    with _registry.lock:
        return _registry.installed_types()
