"""LAPACK is NumPy's own, loaded by the first kernel that needs it, and only borrowed."""

import os
import subprocess
import sys
from pathlib import Path

import abi
import numpy as np
import pytest

from flambeau_cpu.lapack import numpy_module

HERE = Path(__file__).parent
# Wheels of NumPy keep the libraries that they bring in this folder.
WHEEL = Path(np.__file__).parents[1] / "numpy.libs"
from_wheel = pytest.mark.skipif(
    not list(WHEEL.glob("*openblas*")), reason="this NumPy brings no LAPACK along"
)

SCRIPT = """
import sys
sys.path[:0] = sys.argv[1:]
from flambeau_cpu import opening
loaded = lambda: "openblas" in open("/proc/self/maps").read()
import flambeau_core as fb
print(loaded(), end=" ")
a = fb.eye(3) * 4
(a @ a).sum()
print(loaded(), end=" ")
factor = fb.linalg.cholesky(a)
print(loaded(), "numpy" in sys.modules, factor.tolist() == (fb.eye(3) * 2).tolist())
"""


def run(script, **variables):
    environment = {**os.environ, "FLAMBEAU_BACKEND": "cpu=cpu", **variables}
    command = [sys.executable, "-c", script, *sys.path]
    return subprocess.run(command, env=environment, capture_output=True, text=True, cwd=HERE)


@from_wheel
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc/self/maps")
@pytest.mark.parametrize(
    "switch, expected", [("1", "False False True False True"), ("0", "False False True True True")]
)
def test_loaded_by_the_first_kernel_and_numpy_is_not_imported_for_it(switch, expected):
    """Switched off, the reference backend, which imports NumPy, does the work."""
    result = run(SCRIPT, FLAMBEAU_CPU_LAPACK=switch)
    assert result.stdout.strip() == expected, result.stderr


@from_wheel
def test_the_module_is_numpys_own():
    assert Path(numpy_module()).parent == Path(np.__file__).parent / "linalg"


@pytest.mark.parametrize("path", ["None", "'/nowhere/at_all.so'"])
def test_kernels_are_not_offered_without_the_library(path):
    script = f"""
import sys
sys.path[:0] = sys.argv[1:]
import abi
from flambeau_cpu import _C
_C.set_lapack_module({path})
print(abi.find("cholesky", "float32"), abi.find("svd", "complex128"))
"""
    assert run(script).stdout.split() == ["None", "None"]


@from_wheel
def test_numpys_thread_count_is_left_as_it_was():
    script = """
import ctypes, sys
sys.path[:0] = sys.argv[1:]
import abi, numpy as np
from flambeau_cpu import _C
from flambeau_cpu.lapack import numpy_module
_C.set_lapack_module(numpy_module())
library = ctypes.CDLL(numpy_module())
def count(what):
    for name in ("scipy_openblas_%s_num_threads64_", "openblas_%s_num_threads64_"):
        if hasattr(library, name % what):
            return getattr(library, name % what)
count("set")(2)
for shape in [(3, 3), (300, 300), (40, 20, 20)]:
    a = np.broadcast_to(np.eye(shape[-1]), shape)
    abi.call("lu_factor", [np.empty(shape), np.empty(shape[:-1], "int32"),
                           np.empty(shape[:-2], "int32")], [a], True)
    print(count("get")())
"""
    result = run(script)
    assert result.stdout.split() == ["2", "2", "2"], result.stderr


def test_no_bytes_of_it_are_in_the_package():
    from flambeau_cpu import _C

    assert not list(Path(_C.__file__).parent.rglob("*blas*"))
    assert abi.find("matmul", "float32") is not None
