"""The table of installed backends that ``python -m flambeau_core doctor`` prints."""

from __future__ import annotations

from flambeau_core.plugins.registry import backends
from flambeau_core.plugins.spec import API_VERSION
from flambeau_core.version import __version__

HEADER = ("device", "backend", "distribution", "version", "API", "state", "reason")


def report() -> str:
    rows = [HEADER]
    for row in backends():
        rows.append(
            (
                row["device_type"],
                row["name"],
                row["distribution"],
                row["version"] or "",
                str(row["api_version"] or "?"),
                row["state"],
                row["reason"],
            )
        )
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADER))]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows
    ]
    title = f"flambeau-core {__version__}, backend API {API_VERSION}"
    return "\n".join([title, "", *lines])
