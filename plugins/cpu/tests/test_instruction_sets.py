"""The other tests once more for every instruction set that the processor has.

The set is chosen when the kernels are first asked for, so each needs a process of its own.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from flambeau_cpu import _C

HERE = Path(__file__).parent
NESTED = "FLAMBEAU_CPU_TESTS_NESTED"


def chosen(isa):
    script = "from flambeau_cpu import _C; print(_C.instruction_set())"
    environment = {**os.environ, "FLAMBEAU_CPU_ISA": isa}
    return subprocess.check_output(
        [sys.executable, "-c", script], env=environment, text=True
    ).strip()


@pytest.mark.skipif(NESTED in os.environ, reason="runs the suite; would run itself for ever")
@pytest.mark.parametrize("isa", ["baseline", "avx2", "avx512"])
def test_whole_suite(isa):
    if isa == _C.instruction_set():
        pytest.skip("the tests of this very run")
    if chosen(isa) != isa:
        pytest.skip(f"this processor has no {isa}")
    environment = {**os.environ, "FLAMBEAU_CPU_ISA": isa, NESTED: "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-x", str(HERE), "-p", "no:cacheprovider"]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=HERE)
    assert run.returncode == 0, run.stdout[-4000:] + run.stderr[-2000:]


def test_baseline_is_always_there():
    assert chosen("baseline") == "baseline"
