"""The documentation does what it says: examples print what stands below them, links lead on.

The untitled python blocks of a page run in order as one program. A text block right after one
holds what it prints; without one it prints nothing. A titled block is part of the file named.
Blocks with `edit=` or `run=` are steps that test_adding_an_op.py takes.
"""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

DOCS = Path(__file__).parent
ROOT = DOCS.parent
PAGES = sorted(DOCS.glob("**/*.md"))
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
FENCE = re.compile(r"^```(?P<language>\w*) *(?P<rest>.*)$")
TITLE = re.compile(r'title="([^"]+)"')
STEP = re.compile(r"\b(edit|run)=")
MARK = "\x1e"


@dataclass
class Block:
    """A fenced block; `line` is that of its opening fence, counted from 1."""

    line: int
    language: str
    title: str | None
    is_step: bool
    lines: list[str]

    @property
    def text(self) -> str:
        return "".join(f"{line}\n" for line in self.lines)


@dataclass
class Example:
    """A python block and what it must print."""

    block: Block
    expected: str


def blocks(page: Path) -> list[Block]:
    found: list[Block] = []
    inside: Block | None = None
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        fence = FENCE.match(line)
        if inside is not None:
            if line == "```":
                inside = None
            else:
                inside.lines.append(line)
        elif fence:
            title = TITLE.search(fence["rest"])
            is_step = STEP.search(fence["rest"]) is not None
            inside = Block(number, fence["language"], title[1] if title else None, is_step, [])
            found.append(inside)
    if inside is not None:
        raise ValueError(f"{page}:{inside.line}: the block is not closed")
    return found


def examples(page: Path) -> list[Example]:
    """The blocks to run. A text block next after one holds its output; titled ones are files."""
    found: list[Example] = []
    before: Block | None = None
    for block in blocks(page):
        if block.language == "python" and block.title is None and not block.is_step:
            found.append(Example(block, ""))
        elif block.language == "text" and found and before is found[-1].block:
            found[-1].expected = block.text
        before = block
    return found


def program(page: Path, found: list[Example]) -> str:
    """The page's code with every line where it stands in the page, so that tracebacks fit."""
    lines = [""] * len(page.read_text(encoding="utf-8").splitlines())
    for example in found:
        start = example.block.line
        lines[start - 1] = f'if __name__ == "__main__": print({MARK!r}, flush=True)'
        lines[start : start + len(example.block.lines)] = example.block.lines
    return "\n".join(lines) + "\n"


def run(page: Path, found: list[Example], folder: Path) -> list[str]:
    """What each example prints when the page runs as a program in `folder`.

    Raises:
        RuntimeError: the program ended with an error, whose traceback is the message.
    """
    script = folder / f"{page.stem}.py"
    script.write_text(program(page, found), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, script.name],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(done.stderr)
    return [part.removeprefix("\n") for part in done.stdout.split(MARK)[1:]]


def name(page: Path) -> str:
    return page.relative_to(DOCS).as_posix()


@pytest.mark.parametrize("page", [p for p in PAGES if examples(p)], ids=name)
def test_examples_print_what_the_page_shows(page: Path, tmp_path: Path) -> None:
    found = examples(page)
    printed = run(page, found, tmp_path)
    assert len(printed) == len(found)
    for example, output in zip(found, printed, strict=True):
        assert output == example.expected, f"{name(page)}:{example.block.line}"


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_titled_blocks_are_part_of_the_file_they_name(page: Path) -> None:
    for block in blocks(page):
        if block.title is not None:
            assert block.text in (ROOT / block.title).read_text(encoding="utf-8"), (
                f"{name(page)}:{block.line} differs from {block.title}"
            )


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_to_files(page: Path) -> None:
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{name(page)} links to {target}"


def test_every_page_is_in_the_table_of_contents() -> None:
    listed = re.findall(r"([\w/]+\.md)$", (ROOT / "mkdocs.yml").read_text(), flags=re.MULTILINE)
    # ops.md links the page of each family, ops/*.md, which the contents leave out.
    assert sorted(listed) == [name(page) for page in PAGES if page.parent == DOCS]
