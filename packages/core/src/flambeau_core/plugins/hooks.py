"""The one hook of the pluggy project ``flambeau``; this module alone imports pluggy."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pluggy

from flambeau_core.plugins.spec import BackendSpec

PROJECT = "flambeau"

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


class Hooks:
    @hookspec
    def flambeau_register_backends(self) -> Iterable[BackendSpec] | BackendSpec:
        """The backends of this plugin; must not import what is heavy."""
        raise NotImplementedError


def registered_by(plugin: Any) -> list[BackendSpec]:
    """What a plugin registers. A manager of its own keeps a broken plugin from the others."""
    manager = pluggy.PluginManager(PROJECT)
    manager.add_hookspecs(Hooks)
    manager.register(plugin)
    manager.check_pending()
    specs: list[BackendSpec] = []
    for answer in manager.hook.flambeau_register_backends():
        specs += [answer] if isinstance(answer, BackendSpec) else list(answer)
    return specs
