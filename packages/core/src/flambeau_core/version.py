"""The version of Flambeau: a string that compares as a version."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

# PEP 440 without epochs: release, pre-release, post-release, development release
_PATTERN = re.compile(
    r"v?(\d+(?:\.\d+)*)[-_.]?(?:(a|b|c|rc|alpha|beta|pre)[-_.]?(\d*))?"
    r"(?:[-_.]?post[-_.]?(\d*))?(?:[-_.]?(dev)[-_.]?(\d*))?(?:\+[a-z0-9.]+)?",
    re.IGNORECASE,
)
_PHASES = {"a": 0, "alpha": 0, "b": 1, "beta": 1, "c": 2, "rc": 2, "pre": 2}


def _key(version: Any) -> tuple[Any, ...]:
    text = version if isinstance(version, str) else ".".join(str(part) for part in version)
    match = _PATTERN.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"{text!r} is not a version")
    release, phase, phase_number, post, dev, dev_number = match.groups()
    numbers = [int(part) for part in release.split(".")]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    if phase is not None:
        stage = (_PHASES[phase.lower()], int(phase_number or 0))
    else:
        stage = (-1 if dev and post is None else 3, 0)
    return (
        numbers,
        stage,
        -1 if post is None else int(post or 0),
        (0, int(dev_number or 0)) if dev else (1, 0),
    )


class Version(str):
    """A version string ordered as PEP 440 orders versions.

    Compares with other version strings and with tuples of numbers; a string that is no version
    compares as plain text.
    """

    def _order(self, other: str | Sequence[Any]) -> int:
        try:
            mine, theirs = _key(str(self)), _key(other)
        except ValueError:
            mine, theirs = (str(self),), (str(other),)
        return (mine > theirs) - (mine < theirs)

    def __lt__(self, other: Any) -> bool:
        return self._order(other) < 0

    def __le__(self, other: Any) -> bool:
        return self._order(other) <= 0

    def __gt__(self, other: Any) -> bool:
        return self._order(other) > 0

    def __ge__(self, other: Any) -> bool:
        return self._order(other) >= 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, (str, tuple, list)) and self._order(other) == 0

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = str.__hash__


__version__ = Version("0.1.0")

cuda: str | None = None  # the CUDA version compiled against; CUDA lives in its own distribution
hip: str | None = None
