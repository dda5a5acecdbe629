"""oneDNN is loaded when first wanted, and everything works without it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from flambeau_cpu import _C

HERE = Path(__file__).parent
LIBRARY = Path(_C.__file__).parent / "lib" / "libdnnl.so.3"

SCRIPT = """
import sys
sys.path[:0] = sys.argv[1:]
import abi, numpy as np
loaded = lambda: "libdnnl" in open("/proc/self/maps").read()
def product(n):
    a = np.ones((1, n, n), np.float32)
    abi.call("matmul", [np.zeros_like(a)], [a, a])
product(16)
print(loaded(), end=" ")
product(200)
print(loaded())
"""


def run(command, **variables):
    environment = {**os.environ, **variables}
    return subprocess.run(command, env=environment, capture_output=True, text=True, cwd=HERE)


@pytest.mark.skipif(not LIBRARY.exists(), reason="this build carries no oneDNN")
@pytest.mark.parametrize("switch, expected", [("1", "False True"), ("0", "False False")])
def test_loaded_by_the_first_large_product(switch, expected):
    result = run([sys.executable, "-c", SCRIPT, *sys.path], FLAMBEAU_CPU_ONEDNN=switch)
    assert result.stdout.strip() == expected, result.stderr


@pytest.mark.parametrize("module", ["test_matmul.py", "test_convolution.py"])
def test_products_and_convolutions_without_it(module):
    command = [sys.executable, "-m", "pytest", "-q", "-x", module, "-p", "no:cacheprovider"]
    result = run(command, FLAMBEAU_CPU_ONEDNN="0", PYTHONPATH=os.pathsep.join(sys.path))
    assert result.returncode == 0, result.stdout[-4000:] + result.stderr[-2000:]
