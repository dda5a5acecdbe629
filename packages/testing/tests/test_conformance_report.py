import pytest

from flambeau_testing.conformance import report
from flambeau_testing.conformance.coverage import measure

pytest_plugins = ["pytester"]


def test_missing_kernels_are_counted_by_kernel():
    skipped = [
        "missing kernel: \"erf\" not implemented for 'Float' on device 'toy' (backend 'toy')",
        "missing kernel: \"erf\" not implemented for 'Double' on device 'toy' (backend 'toy')",
        "missing kernel: gelu has neither a kernel on this device nor a composition",
        "toy has no arithmetic in float16",
    ]
    assert report.summary(skipped) == [
        "erf (Double, Float): 2 tests skipped",
        "gelu (any dtype): 1 tests skipped",
    ]


def test_known_failures_need_a_reason(tmp_path):
    path = tmp_path / "known"
    path.write_text("# a comment\n\ntest_a[x]: not yet\n")
    assert report.known_failures(path) == {"test_a[x]": "not yet"}
    path.write_text("test_a\n")
    with pytest.raises(ValueError, match=r"known:1: a known failure needs a reason"):
        report.known_failures(path)


SUITE = """
import pytest

pytestmark = pytest.mark.flambeau_conformance

def test_missing():
    raise NotImplementedError('"erf" not implemented for \\'Float\\' on device \\'toy\\'')

def test_broken():
    assert False

def test_fine(device):
    assert device == "cpu"
"""


def test_a_missing_kernel_is_a_skip_and_told_at_the_end(pytester):
    pytester.makepyfile(SUITE)
    result = pytester.runpytest()
    result.assert_outcomes(passed=1, failed=1, skipped=1)
    result.stdout.fnmatch_lines(
        [
            "*kernels that tests were skipped for*",
            "erf (Float): 1 tests skipped",
            "*kernels of the backend*",
            "* kernels supplied by the backend",
        ]
    )


def test_coverage_sorts_every_kernel():
    found = measure("cpu")
    assert {"copy", "fill", "add", "matmul"} <= set(found.supplied)
    assert not found.missing
    everything = [*found.supplied, *found.composed, *found.borrowed, *found.missing]
    assert len(everything) == len(set(everything)) > 100


def test_outside_of_the_kit_a_missing_kernel_is_a_failure(pytester):
    pytester.makepyfile(SUITE.replace("pytestmark =", "ignored ="))
    pytester.runpytest().assert_outcomes(passed=1, failed=2)


def test_a_known_failure_is_expected_until_it_passes(pytester):
    pytester.makepyfile(SUITE)
    known = pytester.path / "known"
    known.write_text("test_broken: not written yet\n")
    pytester.runpytest("--known-failures", known).assert_outcomes(passed=1, skipped=1, xfailed=1)
    known.write_text("test_broken: not written yet\ntest_fine: neither\n")
    pytester.runpytest("--known-failures", known).assert_outcomes(failed=1, skipped=1, xfailed=1)
    known.write_text("test_gone: it was removed\n")
    result = pytester.runpytest("--known-failures", known)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
