"""The text of tensors; the expected texts were printed by PyTorch 2.13."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import flambeau_core as fb


@pytest.fixture(autouse=True)
def default_options() -> Iterator[None]:
    yield
    fb.set_printoptions(profile="default")


def case(name: str, build: Callable[[], Any], expected: str, **options: Any) -> Any:
    return pytest.param(build, expected, options, id=name)


CASES = [
    case("scalar_float", lambda: fb.tensor(3.5), "tensor(3.5000)"),
    case("scalar_int", lambda: fb.tensor(7), "tensor(7)"),
    case("scalar_bool", lambda: fb.tensor(True), "tensor(True)"),
    case("negative_zero", lambda: fb.tensor([-0.0, 0.0]), "tensor([-0., 0.])"),
    case("vector", lambda: fb.tensor([1.0, 2.5, -3.25]), "tensor([ 1.0000,  2.5000, -3.2500])"),
    case("integral_floats", lambda: fb.tensor([1.0, 20.0, 300.0]), "tensor([  1.,  20., 300.])"),
    case(
        "wide_range_is_scientific",
        lambda: fb.tensor([1e-3, 1.0, 1001.0]),
        "tensor([1.0000e-03, 1.0000e+00, 1.0010e+03])",
    ),
    case(
        "small_is_scientific", lambda: fb.tensor([1e-5, 2e-5]), "tensor([1.0000e-05, 2.0000e-05])"
    ),
    case(
        "large_integral_is_scientific",
        lambda: fb.tensor([1.0, 2e9]),
        "tensor([1.0000e+00, 2.0000e+09])",
    ),
    case(
        "nan_and_inf",
        lambda: fb.tensor([1.0, float("nan"), float("inf"), -float("inf")]),
        "tensor([1., nan, inf, -inf])",
    ),
    case("only_nan", lambda: fb.full((2,), float("nan")), "tensor([nan, nan])"),
    case(
        "zeros",
        lambda: fb.zeros(2, 3),
        """\
tensor([[0., 0., 0.],
        [0., 0., 0.]])""",
    ),
    case(
        "float64",
        lambda: fb.tensor([1 / 3], dtype=fb.float64),
        "tensor([0.3333], dtype=flambeau.float64)",
    ),
    case(
        "float16",
        lambda: fb.tensor([0.1, 1.0], dtype=fb.float16),
        "tensor([0.1000, 1.0000], dtype=flambeau.float16)",
    ),
    case(
        "bfloat16",
        lambda: fb.tensor([0.1, 1.0], dtype=fb.bfloat16),
        "tensor([0.1001, 1.0000], dtype=flambeau.bfloat16)",
    ),
    case(
        "int32",
        lambda: fb.tensor([1, -20, 300], dtype=fb.int32),
        "tensor([  1, -20, 300], dtype=flambeau.int32)",
    ),
    case(
        "uint8",
        lambda: fb.tensor([0, 255], dtype=fb.uint8),
        "tensor([  0, 255], dtype=flambeau.uint8)",
    ),
    case(
        "bools",
        lambda: fb.tensor([[True, False], [False, True]]),
        """\
tensor([[ True, False],
        [False,  True]])""",
    ),
    case(
        "matrix",
        lambda: fb.arange(6.0).reshape(2, 3) / 3,
        """\
tensor([[0.0000, 0.3333, 0.6667],
        [1.0000, 1.3333, 1.6667]])""",
    ),
    case(
        "cube",
        lambda: fb.arange(12).reshape(2, 2, 3),
        """\
tensor([[[ 0,  1,  2],
         [ 3,  4,  5]],

        [[ 6,  7,  8],
         [ 9, 10, 11]]])""",
    ),
    case(
        "four_dimensions",
        lambda: fb.arange(8).reshape(2, 1, 2, 2),
        """\
tensor([[[[0, 1],
          [2, 3]]],


        [[[4, 5],
          [6, 7]]]])""",
    ),
    case(
        "wrapped_lines",
        lambda: fb.arange(30) * 1000,
        """\
tensor([    0,  1000,  2000,  3000,  4000,  5000,  6000,  7000,  8000,  9000,
        10000, 11000, 12000, 13000, 14000, 15000, 16000, 17000, 18000, 19000,
        20000, 21000, 22000, 23000, 24000, 25000, 26000, 27000, 28000, 29000])""",
    ),
    case(
        "abbreviated_vector",
        lambda: fb.arange(1001),
        "tensor([   0,    1,    2,  ...,  998,  999, 1000])",
    ),
    case(
        "abbreviated_matrix",
        lambda: fb.arange(10000.0).reshape(100, 100),
        """\
tensor([[0.0000e+00, 1.0000e+00, 2.0000e+00,  ..., 9.7000e+01, 9.8000e+01,
         9.9000e+01],
        [1.0000e+02, 1.0100e+02, 1.0200e+02,  ..., 1.9700e+02, 1.9800e+02,
         1.9900e+02],
        [2.0000e+02, 2.0100e+02, 2.0200e+02,  ..., 2.9700e+02, 2.9800e+02,
         2.9900e+02],
        ...,
        [9.7000e+03, 9.7010e+03, 9.7020e+03,  ..., 9.7970e+03, 9.7980e+03,
         9.7990e+03],
        [9.8000e+03, 9.8010e+03, 9.8020e+03,  ..., 9.8970e+03, 9.8980e+03,
         9.8990e+03],
        [9.9000e+03, 9.9010e+03, 9.9020e+03,  ..., 9.9970e+03, 9.9980e+03,
         9.9990e+03]])""",
    ),
    case(
        "abbreviated_one_way",
        lambda: fb.arange(2400).reshape(1200, 2),
        """\
tensor([[   0,    1],
        [   2,    3],
        [   4,    5],
        ...,
        [2394, 2395],
        [2396, 2397],
        [2398, 2399]])""",
    ),
    case("empty", lambda: fb.empty(0), "tensor([])"),
    case("empty_matrix", lambda: fb.empty(0, 3), "tensor([], size=(0, 3))"),
    case("empty_int", lambda: fb.empty(0, dtype=fb.int64), "tensor([], dtype=flambeau.int64)"),
    case(
        "empty_shape_and_dtype",
        lambda: fb.empty(2, 0, dtype=fb.int32),
        "tensor([], size=(2, 0), dtype=flambeau.int32)",
    ),
    case(
        "requires_grad",
        lambda: fb.ones(2, requires_grad=True),
        "tensor([1., 1.], requires_grad=True)",
    ),
    case(
        "grad_fn",
        lambda: fb.ones(2, requires_grad=True) + 1,
        "tensor([2., 2.], grad_fn=<AddBackward0>)",
    ),
    case(
        "grad_fn_on_its_own_line",
        lambda: fb.ones(12, requires_grad=True) * 1.5,
        """\
tensor([1.5000, 1.5000, 1.5000, 1.5000, 1.5000, 1.5000, 1.5000, 1.5000, 1.5000,
        1.5000, 1.5000, 1.5000], grad_fn=<MulBackward0>)""",
    ),
    case(
        "float64_requires_grad",
        lambda: fb.ones(1, dtype=fb.float64, requires_grad=True),
        "tensor([1.], dtype=flambeau.float64, requires_grad=True)",
    ),
]

OPTIONS = [
    case("precision", lambda: fb.tensor([1 / 3, 2 / 3]), "tensor([0.33, 0.67])", precision=2),
    case(
        "narrow",
        lambda: fb.arange(20),
        """\
tensor([ 0,  1,  2,  3,  4,  5,  6,  7,
         8,  9, 10, 11, 12, 13, 14, 15,
        16, 17, 18, 19])""",
        linewidth=40,
    ),
    case("threshold", lambda: fb.arange(6), "tensor([0,  ..., 5])", threshold=5, edgeitems=1),
    case(
        "short",
        lambda: fb.arange(1200.0) / 7,
        "tensor([0.00e+00, 1.43e-01,  ..., 1.71e+02, 1.71e+02])",
        profile="short",
    ),
    case(
        "scientific",
        lambda: fb.tensor([1.0, 2.5]),
        "tensor([1.0000e+00, 2.5000e+00])",
        sci_mode=True,
    ),
    case(
        "never_scientific",
        lambda: fb.tensor([1e-5, 1.0]),
        "tensor([0.0000, 1.0000])",
        sci_mode=False,
    ),
]


@pytest.mark.parametrize(("build", "expected", "options"), CASES + OPTIONS)
def test_text_is_pytorchs(build: Callable[[], Any], expected: str, options: dict[str, Any]) -> None:
    if options:
        fb.set_printoptions(**options)
    assert repr(build()) == expected


def test_options_read_back() -> None:
    fb.set_printoptions(precision=6, sci_mode=True)
    options = fb.get_printoptions()
    assert (options["precision"], options["sci_mode"], options["linewidth"]) == (6, True, 80)
    fb.set_printoptions(profile="short")
    assert fb.get_printoptions()["precision"] == 2
    assert fb.get_printoptions()["sci_mode"] is None


def test_unknown_profile() -> None:
    with pytest.raises(ValueError, match="profile"):
        fb.set_printoptions(profile="long")


def test_formatting_takes_the_number_of_a_tensor_without_dimensions() -> None:
    number = fb.tensor(0.5, requires_grad=True)
    assert f"{number} {number:.3f}" == "0.5 0.500"
    assert f"{fb.tensor(True)} {fb.tensor(3):>3}" == "True   3"
    assert f"{fb.tensor([0.5])}" == "tensor([0.5000])"
    with pytest.raises(TypeError):
        format(fb.tensor([0.5]), ".3f")


def test_subclass_prints_its_own_name() -> None:
    class Measured(fb.Tensor):
        pass

    made = fb.Tensor._make_subclass(Measured, fb.tensor([1.0]), False)
    assert repr(made) == "Measured([1.])"
