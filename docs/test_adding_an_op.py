"""The page that adds a native op is followed to the letter, on a copy of the sources.

Blocks with `edit="file"` are put `below` or `above` the one line of that file which contains the
quoted text. Then core and the cpu plugin are built, and the block with `run=` must print what
stands below it.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "adding_an_op.md"
FENCE = re.compile(r"^```(?:\w+) (?P<rest>.*)\n(?P<text>(?:.*\n)*?)```$", re.MULTILINE)
EDIT = re.compile(r'edit="(?P<file>[^"]+)" (?P<side>below|above)="(?P<anchor>(?:[^"\\]|\\.)+)"')
SOURCES = ("packages/core", "packages/testing", "plugins/cpu")


@dataclass
class Step:
    """A text to be put next to a line of a file."""

    file: str
    side: str
    anchor: str
    text: str

    def apply(self, root: Path) -> None:
        path = root / self.file
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        found = [i for i, line in enumerate(lines) if self.anchor in line]
        assert len(found) == 1, f"{self.file}: {len(found)} lines contain {self.anchor!r}"
        lines.insert(found[0] + (self.side == "below"), self.text)
        path.write_text("".join(lines), encoding="utf-8")


def steps() -> list[Step]:
    found = []
    for fence in FENCE.finditer(PAGE.read_text(encoding="utf-8")):
        if edit := EDIT.search(fence["rest"]):
            anchor = edit["anchor"].replace('\\"', '"')
            found.append(Step(edit["file"], edit["side"], anchor, fence["text"]))
    return found


def program() -> tuple[str, str]:
    """The program at the end, and what it prints."""
    text = PAGE.read_text(encoding="utf-8")
    blocks = r"^```python run=.*\n((?:.*\n)*?)```\n\n```text\n((?:.*\n)*?)```$"
    match = re.search(blocks, text, re.MULTILINE)
    assert match
    return match[1], match[2]


def build(source: Path, folder: Path) -> None:
    """Compiles a native project and puts its extension beside its Python files."""
    import pybind11

    folder.mkdir()
    configure = [
        *("cmake", "-S", str(source), "-B", str(folder), "-DCMAKE_BUILD_TYPE=Release"),
        *(f"-Dpybind11_DIR={pybind11.get_cmake_dir()}", f"-DPython_EXECUTABLE={sys.executable}"),
    ]
    if source.name == "cpu":  # its kernels are the same text for every instruction set
        configure.append("-DFLAMBEAU_WIDE_KERNELS=OFF")
    ninja = shutil.which("ninja")
    subprocess.run([*configure, *(["-G", "Ninja"] if ninja else [])], check=True, timeout=300)
    jobs = str(os.cpu_count() or 1)
    subprocess.run(["cmake", "--build", str(folder), "-j", jobs], check=True, timeout=1800)
    (package,) = (source / "src").iterdir()
    subprocess.run(["cmake", "--install", str(folder), "--prefix", str(package)], check=True)


def test_the_steps_add_the_op(tmp_path: Path) -> None:
    for folder in SOURCES:
        ignored = shutil.ignore_patterns("*.so", "__pycache__", "tests")
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=ignored)
    taken = steps()
    assert len(taken) >= 4
    for step in taken:
        step.apply(tmp_path)
    for folder in ("packages/core", "plugins/cpu"):
        build(tmp_path / folder, tmp_path / f"build-{Path(folder).name}")
    source, expected = program()
    script = tmp_path / "program.py"
    script.write_text(source, encoding="utf-8")
    paths = os.pathsep.join(str(tmp_path / folder / "src") for folder in SOURCES)
    done = subprocess.run(
        [sys.executable, str(script)],
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == expected
