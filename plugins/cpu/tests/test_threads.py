"""The thread pool: its size, and forked children."""

import os
import subprocess
import sys

import abi
import numpy as np
import pytest


def test_number_of_threads_can_be_set():
    before = abi.backend.get_num_threads(None)
    assert before >= 1
    try:
        abi.backend.set_num_threads(None, 3)
        assert abi.backend.get_num_threads(None) == 3
        abi.backend.set_num_threads(None, 0)
        assert abi.backend.get_num_threads(None) == 1
    finally:
        abi.backend.set_num_threads(None, before)


@pytest.mark.parametrize("variables,threads", [
    ({"FLAMBEAU_NUM_THREADS": "3", "OMP_NUM_THREADS": "2"}, 3), ({"OMP_NUM_THREADS": "2"}, 2),
])  # fmt: skip
def test_environment(variables, threads):
    environment = {k: v for k, v in os.environ.items() if not k.endswith("_NUM_THREADS")}
    environment |= variables | {"PYTHONPATH": os.pathsep.join(sys.path)}
    script = "import abi; print(abi.backend.get_num_threads(None))"
    output = subprocess.check_output([sys.executable, "-c", script], env=environment, text=True)
    assert int(output) == threads


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_computes_alone():
    before = abi.backend.get_num_threads(None)
    x = np.ones(1 << 20, np.float32)
    out = np.empty_like(x)
    try:
        abi.backend.set_num_threads(None, 2)
        abi.call("exp", [out], [x])  # the parent's workers exist now
        child = os.fork()
        if child == 0:
            try:
                abi.call("neg", [out], [x])
                right = (out == -1).all() and abi.backend.get_num_threads(None) == 1
            finally:
                os._exit(0 if right else 1)
        _, status = os.waitpid(child, 0)
        assert os.waitstatus_to_exitcode(status) == 0
        abi.call("neg", [out], [x])
        assert (out == -1).all()
    finally:
        abi.backend.set_num_threads(None, before)


def test_table():
    assert abi.backend.api_version == 1 and abi.backend.name == b"cpu"
    assert not abi.backend.allocate and not abi.backend.copy
    assert abi.find("add", "float32") and abi.find("no_such_kernel", "float32") is None
    assert abi.backend.find_kernel(None, b"add", 99) is None
