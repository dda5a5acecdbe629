"""What a run of the kit says about kernels that are missing."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

MISSING = re.compile(r'"(?P<kernel>\w+)" not implemented for \'(?P<dtype>\w+)\'')
COMPOSED = re.compile(r"(?P<kernel>\w+) has neither a kernel on this device nor a composition")


def is_missing_kernel(error: BaseException) -> bool:
    return bool(MISSING.search(str(error)) or COMPOSED.search(str(error)))


def summary(reasons: Iterable[str]) -> list[str]:
    """A line for each kernel, from the reasons of skipped tests."""
    tests: dict[str, int] = defaultdict(int)
    dtypes: dict[str, set[str]] = defaultdict(set)
    for reason in reasons:
        found = MISSING.search(reason) or COMPOSED.search(reason)
        if "missing kernel: " in reason and found:
            kernel = found["kernel"]
            tests[kernel] += 1
            dtypes[kernel].add(found.groupdict().get("dtype") or "any dtype")
    return [
        f"{kernel} ({', '.join(sorted(dtypes[kernel]))}): {count} tests skipped"
        for kernel, count in sorted(tests.items())
    ]


def known_failures(path: Path) -> dict[str, str]:
    """The reason for each test that a file names; raises ValueError for a line without one."""
    reasons = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        line = line.partition("#")[0].strip()
        if not line:
            continue
        name, colon, reason = line.partition(": ")
        if not colon or not reason.strip():
            raise ValueError(f"{path}:{number}: a known failure needs a reason: 'name: reason'")
        reasons[name.strip()] = reason.strip()
    return reasons
