"""Give every package of the repository one version.

    python tools/set_version.py 0.2.0      write it everywhere
    python tools/set_version.py --check    exit 1 where a version differs from core's

Writes each project's version, its `__version__`, and what the projects ask of one another:
`~=X.Y.0` among the packages, `==X.Y.Z` in the meta-package.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
VERSION = re.compile(r"\d+\.\d+\.\d+")
# What stands before a version in a pyproject and in a module.
PROJECT = re.compile(rf'(?m)^(version = ")({VERSION.pattern})(?=")')
PIN = re.compile(rf'("flambeau[\w\-\[\],]*==)({VERSION.pattern})(?=")')
RANGE = re.compile(rf'("flambeau[\w\-]*~=)({VERSION.pattern})(?=")')
MODULE = re.compile(rf'(?m)^(__version__ = (?:Version\()?")({VERSION.pattern})(?=")')


def rewritten(path: Path, text: str, version: str) -> str:
    if path.name != "pyproject.toml":
        return MODULE.sub(rf"\g<1>{version}", text)
    series = f"{version.rpartition('.')[0]}.0"
    text = PIN.sub(rf"\g<1>{version}", PROJECT.sub(rf"\g<1>{version}", text))
    return RANGE.sub(rf"\g<1>{series}", text)


def files() -> list[Path]:
    """Every project file and every module that states a version."""
    found = []
    for project in sorted([*ROOT.glob("packages/*"), *ROOT.glob("plugins/*")]):
        found += [project / "pyproject.toml"]
        found += sorted(project.glob("src/*/__init__.py")) + sorted(
            project.glob("src/*/version.py")
        )
    return [path for path in found if path.is_file()]


def core_version() -> str:
    found = PROJECT.search((ROOT / "packages" / "core" / "pyproject.toml").read_text())
    if found is None:
        sys.exit("packages/core/pyproject.toml states no version")
    return found[2]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("version", nargs="?", help="the new version, X.Y.Z")
    parser.add_argument("--check", action="store_true", help="only tell what differs")
    options = parser.parse_args()
    if options.check == bool(options.version):
        parser.error("give either a version or --check")
    version = options.version or core_version()
    if not VERSION.fullmatch(version):
        parser.error(f"{version!r} is not of the form X.Y.Z")
    stale = 0
    for path in files():
        text = path.read_text(encoding="utf-8")
        new = rewritten(path, text, version)
        if new != text:
            stale += 1
            print(path.relative_to(ROOT), "differs from" if options.check else "is now", version)
            if not options.check:
                path.write_text(new, encoding="utf-8")
    return int(options.check and stale > 0)


if __name__ == "__main__":
    sys.exit(main())
