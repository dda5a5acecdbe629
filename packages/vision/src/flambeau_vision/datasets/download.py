"""Fetch a file from the first mirror that has it: checked, resumable, with progress."""

from __future__ import annotations

import contextlib
import hashlib
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

__all__ = ["DownloadError", "download", "has_md5"]

CHUNK = 1 << 16
TIMEOUT = 30.0  # seconds without an answer
HTTP_PARTIAL = 206
HTTP_RANGE_NOT_SATISFIABLE = 416


class DownloadError(RuntimeError):
    """No mirror delivered the file; the message says what each of them answered."""


def has_md5(path: Path, md5: str) -> bool:
    """Whether the file exists and has this MD5 digest, in hexadecimal."""
    if not path.is_file():
        return False
    digest = hashlib.md5(usedforsecurity=False)
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            digest.update(chunk)
    return digest.hexdigest() == md5


def download(urls: Sequence[str], target: Path, md5: str) -> None:
    """Fetch `target` from the first of `urls` that delivers a file of this MD5 digest.

    What arrives is kept in `target` + ".part", so that a download that broke off goes on where it
    stopped, on the same mirror or another. Raises DownloadError.
    """
    if has_md5(target, md5):
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(target.name + ".part")
    failures = []
    for url in urls:
        try:
            fetch(url, part)
        except (urllib.error.URLError, OSError) as error:
            failures.append(f"{url}: {getattr(error, 'reason', None) or error}")
            continue
        if has_md5(part, md5):
            part.replace(target)
            return
        part.unlink()
        failures.append(f"{url}: what it sent is not the file expected (MD5 differs from {md5})")
    reasons = "".join(f"\n  {failure}" for failure in failures)
    raise DownloadError(
        f"could not download {target.name}:{reasons}\n"
        f"With no connection, put the file into {target.parent} by other means."
    )


def fetch(url: str, part: Path) -> None:
    """Fetch what `part` still lacks of a URL."""
    done = part.stat().st_size if part.exists() else 0
    request = urllib.request.Request(url, headers={"User-Agent": "flambeau"})
    if done:
        request.add_header("Range", f"bytes={done}-")
    try:
        response = urllib.request.urlopen(request, timeout=TIMEOUT)
    except urllib.error.HTTPError as error:
        if error.code == HTTP_RANGE_NOT_SATISFIABLE:
            return  # nothing is lacking; the checksum will tell whether it is the right file
        raise
    with response:
        resumed = response.status == HTTP_PARTIAL
        done = done if resumed else 0
        length = response.headers.get("Content-Length")
        total = done + int(length) if length else None
        with part.open("ab" if resumed else "wb") as file, progress(part, done, total) as advance:
            while chunk := response.read(CHUNK):
                file.write(chunk)
                done += len(chunk)
                advance(len(chunk))
    if total is not None and done < total:
        raise OSError(f"the connection broke off after {done} of {total} bytes")


@contextlib.contextmanager
def progress(part: Path, done: int, total: int | None) -> Iterator[Callable[[int], None]]:
    """A progress bar on standard error, by tqdm where it is installed."""
    name = part.name.removesuffix(".part")
    try:
        from tqdm import tqdm
    except ModuleNotFoundError:
        yield percentages(name, done, total)
        print(file=sys.stderr)
    else:
        with tqdm(desc=name, initial=done, total=total, unit="B", unit_scale=True) as bar:
            yield bar.update


def percentages(name: str, done: int, total: int | None) -> Callable[[int], None]:
    """Rewrite one line with the share that has arrived, at most a hundred times."""
    shown = -1

    def advance(count: int) -> None:
        nonlocal done, shown
        done += count
        percent = 100 * done // total if total else done >> 20
        if percent != shown:
            shown = percent
            unit = "%" if total else " MiB"
            print(f"\r{name}: {percent}{unit}", end="", file=sys.stderr, flush=True)

    return advance
