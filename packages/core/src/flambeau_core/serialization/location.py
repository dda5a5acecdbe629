"""Where loaded storages go: the device they were saved from, or what ``map_location`` says."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import flambeau_core as fb


def placement(map_location: Any) -> Callable[[Any, str], Any]:
    """A function that moves a host tensor, given its location tag, to its device."""
    if map_location is None:
        return move_back
    if isinstance(map_location, (str, fb.device)):
        device = fb.device(map_location)
        return lambda host, location: host.to(device)
    if isinstance(map_location, Mapping):
        return lambda host, location: move_back(host, map_location.get(location, location))
    if callable(map_location):

        def decide(host: Any, location: str) -> Any:
            moved = map_location(host, location)
            return move_back(host, location) if moved is None else moved

        return decide
    raise TypeError(
        f"map_location must be a device, a string, a dict or a function, "
        f"got {type(map_location).__name__}"
    )


def move_back(host: Any, location: Any) -> Any:
    if str(location) == "cpu":
        return host
    try:
        return host.to(fb.device(location))
    except (RuntimeError, AssertionError) as error:
        raise RuntimeError(
            f"the file holds tensors of the device {str(location)!r}, which is not to be had "
            f"here: load it with map_location='cpu' ({error})"
        ) from error
