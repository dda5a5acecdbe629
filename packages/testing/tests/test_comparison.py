import numpy as np
import pytest

import flambeau_core as fb
from flambeau_testing import assert_close, default_tolerances

t = fb.tensor


@pytest.mark.parametrize(
    ("actual", "expected"),
    [
        (t([1.0, 2.0]), t([1.0, 2.0 + 1e-6])),
        (t([float("inf")]), t([float("inf")])),
        (t([1, 2, 3]), t([1, 2, 3])),
        (t([True]), t([True])),
        (1.0, 1.0 + 1e-9),
        (None, None),
        ([t([1.0]), {"a": 2}], [t([1.0]), {"a": 2}]),
        (np.ones(3), t([1.0, 1.0, 1.0], dtype=fb.float64)),
        (t([1.001], dtype=fb.float16), t([1.0], dtype=fb.float16)),
    ],
)
def test_close_values_pass(actual, expected):
    assert_close(actual, expected)


@pytest.mark.parametrize(
    ("actual", "expected", "message"),
    [
        (
            t([1.0, 2.0, 4.0]),
            t([1.0, 2.0, 3.0]),
            "Tensor-likes are not close!\n\n"
            "Mismatched elements: 1 / 3 (33.3%)\n"
            "Greatest absolute difference: 1.0 at index (2,) (up to 1e-05 allowed)\n"
            "Greatest relative difference: 0.3333333333333333 at index (2,) "
            "(up to 1.3e-06 allowed)",
        ),
        (
            t([[1, 2], [3, 4]]),
            t([[1, 2], [3, 8]]),
            "Tensor-likes are not equal!\n\n"
            "Mismatched elements: 1 / 4 (25.0%)\n"
            "Greatest absolute difference: 4 at index (1, 1)\n"
            "Greatest relative difference: 0.5 at index (1, 1)",
        ),
        (
            t(1.0),
            t(2.0),
            "Scalars are not close!\n\n"
            "Expected 2.0 but got 1.0.\n"
            "Absolute difference: 1.0 (up to 1e-05 allowed)\n"
            "Relative difference: 0.5 (up to 1.3e-06 allowed)",
        ),
        (
            1,
            2,
            "Scalars are not equal!\n\n"
            "Expected 2 but got 1.\n"
            "Absolute difference: 1\n"
            "Relative difference: 0.5",
        ),
        ([1.0], [1.0, 2.0], "The length of the sequences mismatch: 1 != 2"),
        (
            {"a": 1.0},
            {"b": 1.0},
            "The keys of the mappings do not match:\n"
            "Missing keys in the actual mapping: ['b']\n"
            "Additional keys in the actual mapping: ['a']",
        ),
    ],
)
def test_the_message_is_pytorchs(actual, expected, message):
    with pytest.raises(AssertionError) as caught:
        assert_close(actual, expected)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("actual", "expected"),
    [
        (t([float("nan")]), t([float("nan")])),
        (t([float("inf")]), t([1.0])),
        (t([1.0]), t([float("inf")])),
        (t([float("inf")]), t([float("-inf")])),
        (t([2**53]), t([2**53 + 1])),
        (t([True, False]), t([True, True])),
        (float("nan"), float("nan")),
        (None, 1.0),
    ],
)
def test_values_that_must_not_pass(actual, expected):
    with pytest.raises(AssertionError):
        assert_close(actual, expected)


def test_attributes_are_compared():
    with pytest.raises(AssertionError, match="attribute 'shape' do not match"):
        assert_close(t([1.0]), t([1.0, 1.0]))
    with pytest.raises(AssertionError, match="attribute 'dtype' do not match"):
        assert_close(t([1.0]), t([1.0], dtype=fb.float64))
    assert_close(t([1.0]), t([1.0], dtype=fb.float64), check_dtype=False)
    matrix = fb.ones(2, 3)
    with pytest.raises(AssertionError, match=r"attribute 'stride\(\)' do not match"):
        assert_close(matrix, fb.ones(3, 2).t(), check_stride=True)


def test_nan_equals_nan_where_that_is_asked_for():
    assert_close(t([1.0, float("nan")]), t([1.0, float("nan")]), equal_nan=True)
    assert_close(float("nan"), float("nan"), equal_nan=True)


def test_given_tolerances_replace_the_defaults():
    assert_close(t([1.0]), t([1.5]), rtol=0, atol=0.5)
    with pytest.raises(AssertionError, match=r"up to 0\.25 allowed"):
        assert_close(t([1.0]), t([1.5]), rtol=0.1, atol=0.25)
    with pytest.raises(ValueError, match="both be specified"):
        assert_close(t([1.0]), t([1.0]), rtol=0.1)


def test_the_place_inside_containers_is_told():
    with pytest.raises(AssertionError, match=r"The failure occurred for item \[1\]\['a'\]"):
        assert_close([1.0, {"a": t([1.0])}], [1.0, {"a": t([2.0])}])


def test_the_message_can_be_replaced():
    with pytest.raises(AssertionError, match="^mine$"):
        assert_close(1.0, 2.0, msg="mine")
    with pytest.raises(AssertionError, match=r"^before: Scalars are not close"):
        assert_close(1.0, 2.0, msg=lambda text: f"before: {text}")


def test_things_that_cannot_be_compared():
    with pytest.raises(TypeError, match="got str and str"):
        assert_close("a", "a")
    with pytest.raises(AssertionError, match="type equality is required"):
        assert_close(np.ones(1), t([1.0], dtype=fb.float64), allow_subclasses=False)


@pytest.mark.parametrize(
    ("dtype", "tolerances"),
    [
        (fb.float16, (1e-3, 1e-5)),
        (fb.bfloat16, (1.6e-2, 1e-5)),
        (fb.float32, (1.3e-6, 1e-5)),
        (fb.float64, (1e-7, 1e-7)),
        (fb.int64, (0.0, 0.0)),
    ],
)
def test_default_tolerances(dtype, tolerances):
    assert default_tolerances(dtype) == tolerances
    assert default_tolerances(fb.ones(1).to(dtype)) == tolerances


def test_the_widest_of_several_tolerances():
    assert default_tolerances(fb.float16, fb.float64) == (1e-3, 1e-5)
