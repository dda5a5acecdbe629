"""``python -m flambeau_core``: ``doctor`` lists backends, ``--include-dir`` finds the headers."""

from __future__ import annotations

import argparse
from pathlib import Path


def include_dir() -> Path:
    """The folder that holds ``flambeau/backend.h``: in the wheel, else in the source tree."""
    here = Path(__file__).resolve().parent
    for folder in (here / "include", here.parents[1] / "include"):
        if (folder / "flambeau" / "backend.h").is_file():
            return folder
    raise FileNotFoundError(f"flambeau/backend.h is not beside {here}: reinstall flambeau-core")


def main(arguments: list[str] | None = None, program: str = "python -m flambeau_core") -> int:
    parser = argparse.ArgumentParser(prog=program, description="About this installation.")
    parser.add_argument(
        "--include-dir",
        action="store_true",
        help="print the folder of the C headers that native backends compile against",
    )
    commands = parser.add_subparsers(dest="command")
    commands.add_parser("doctor", help="list the device backends, their state and the reason")
    options = parser.parse_args(arguments)
    if options.include_dir:
        print(include_dir())
        return 0
    if options.command == "doctor":
        from flambeau_core.plugins.doctor import report

        print(report())
        return 0
    parser.print_help()
    return 2


if __name__ == "__main__":
    raise SystemExit(main())
