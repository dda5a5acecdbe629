"""Native ops, a declaration each: values, layouts, in-place forms, first and second gradients.

Most declarations are those of the conformance kit; what only core has follows here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import flambeau_core as fb
from flambeau_testing import op_checks, transform_checks
from flambeau_testing.op_samples import DECLARATIONS, Declaration, Sample
from flambeau_testing.op_samples.declaration import INTEGERS, Array, Constant

ALIASES = {
    "absolute": "abs",
    "arccos": "acos",
    "arccosh": "acosh",
    "arcsin": "asin",
    "arcsinh": "asinh",
    "arctan": "atan",
    "arctanh": "atanh",
    "fix": "trunc",
    "negative": "neg",
    "positive": "clone",
}
BINARY_ALIASES = {
    "arctan2": "atan2",
    "divide": "div",
    "greater": "gt",
    "greater_equal": "ge",
    "less": "lt",
    "less_equal": "le",
    "multiply": "mul",
    "not_equal": "ne",
    "subtract": "sub",
    "true_divide": "div",
}


def call(*shapes: tuple[int, ...], **kwargs: Any) -> Callable[..., list[Sample]]:
    """One call with arrays of these shapes."""

    def samples(rng: np.random.Generator) -> list[Sample]:
        return [Sample(tuple(rng.uniform(-2, 2, shape) for shape in shapes), kwargs)]

    return samples


def with_arguments(shape: tuple[int, ...], *calls: tuple[Any, ...]) -> Callable[..., list[Sample]]:
    """The same array with each of the given arguments."""

    def samples(rng: np.random.Generator) -> list[Sample]:
        x = rng.uniform(-2, 2, shape)
        return [Sample((x, *arguments)) for arguments in calls]

    return samples


def whole_numbers(rng: np.random.Generator) -> list[Sample]:
    return [Sample((rng.integers(0, 100, shape).astype(float),)) for shape in ((3, 4), (), (0,))]


def invert(x: Array) -> Array:
    return np.invert(x.astype("int64")).astype(float)


def put_samples(rng: np.random.Generator) -> Iterator[Sample]:
    x = rng.uniform(-2, 2, (4, 3))
    rows = Constant(np.array([3, 0, 0]))
    yield Sample((x, [rows], rng.uniform(-2, 2, (3, 3)), True))
    yield Sample((x, [rows, Constant(np.array([1, 1, 1]))], rng.uniform(-2, 2, 3), True))
    yield Sample((x, [Constant(np.array([2, 1]))], rng.uniform(-2, 2, (2, 3)), False))


def index_put(x: Array, indices: list[Array], values: Array, accumulate: bool) -> Array:
    result = x.copy()
    if accumulate:
        np.add.at(result, tuple(indices), values)
    else:
        result[tuple(indices)] = values
    return result


def rounded(x: Array, decimals: int) -> Array:
    return np.round(x, decimals)


def floor_divide(a: Array, b: Array) -> Array:
    return np.floor(a / b)


CUTS = (((2, 3), (4, 1), 1), ((3, 3), (1, 1), 0))


def cut(x: Array, size: Any, stride: Any, offset: int) -> Array:
    places = np.zeros(size, dtype=int) + offset
    for dim, step in enumerate(stride):
        along = np.arange(size[dim]).reshape([-1 if d == dim else 1 for d in range(len(size))])
        places = places + step * along
    return x.reshape(-1)[places]


def transposed_convolution(x: Array, weight: Array, stride: int, padding: int) -> Array:
    """Every input element adds its multiple of the kernel (Dumoulin and Visin, 2016, chapter 4)."""
    length = (x.shape[2] - 1) * stride + weight.shape[2]
    result = np.zeros((x.shape[0], weight.shape[1], length))
    for position in range(x.shape[2]):
        spread = np.einsum("ni,iok->nok", x[:, :, position], weight)
        result[:, :, position * stride : position * stride + weight.shape[2]] += spread
    return result[:, :, padding : length - padding]


def transpose_samples(rng: np.random.Generator) -> Iterator[Sample]:
    x, weight = rng.uniform(-1, 1, (2, 3, 4)), rng.uniform(-1, 1, (3, 2, 3))
    for stride, padding in ((1, 0), (2, 1)):
        yield Sample((x, weight), {"stride": stride, "padding": padding})


OWN = (
    Declaration("bitwise_not", invert, whole_numbers, INTEGERS[1:], False, inplace=True),
    Declaration("sgn", np.sign, call((3, 4)), inplace=True),
    Declaration("angle", np.angle, call((3, 4)), ("float64",)),
    Declaration("conj", np.conj, call((3, 4))),
    Declaration("conj_physical", np.conj, call((3, 4)), inplace=True),
    Declaration("rsub", lambda a, b, alpha: b - alpha * a, call((3, 4), (4,), alpha=0.5)),
    Declaration("add", lambda a, b, alpha: a + alpha * b, call((3, 4), (4,), alpha=3)),
    Declaration("sub", lambda a, b, alpha: a - alpha * b, call((3, 4), (4,), alpha=3)),
    Declaration("nextafter", np.nextafter, call((5,), (5,)), ("float64",), False, inplace=True),
    Declaration("round", rounded, call((9,), decimals=2), ("float64",), False),
    Declaration("index_put", index_put, put_samples, ("float64", "float32"), inplace=True),
    Declaration("as_strided", cut, with_arguments((12,), *CUTS), strided=False),
    Declaration("t", np.transpose, call((3, 4))),
    Declaration(
        "unflatten",
        lambda x, dim, sizes: x.reshape(2, 3, 2),
        with_arguments((2, 6), (1, (3, -1))),
    ),
    Declaration(
        "conv_transpose1d",
        transposed_convolution,
        transpose_samples,
        ("float64", "float32"),
        namespace="nn_ops",
    ),
    Declaration("floor_divide", floor_divide, call((4,), (4,)), ("float64",), False),
    Declaration("count_nonzero", np.count_nonzero, whole_numbers, ("int64",), False),
)
OPS = (*DECLARATIONS, *OWN)


def best_dtype(op: Declaration) -> str:
    return "float64" if "float64" in op.dtypes else op.dtypes[-1]


def rows(**wanted: bool) -> list[Any]:
    counts: dict[str, int] = {}
    found = []
    for op in OPS:
        counts[op.id] = count = counts.get(op.id, 0) + 1
        name = op.id if count == 1 else f"{op.id}#{count}"
        if all(getattr(op, key) == value for key, value in wanted.items()):
            found.append(pytest.param(op, id=name))
    return found


@pytest.mark.parametrize("op", rows())
def test_values(op: Declaration) -> None:
    for dtype in {best_dtype(op), *op.dtypes[:1]}:
        op_checks.check_values(op, dtype, "cpu")


@pytest.mark.parametrize("op", rows(strided=True))
def test_strided(op: Declaration) -> None:
    op_checks.check_strided(op, best_dtype(op), "cpu")


@pytest.mark.parametrize("op", rows(inplace=True))
def test_inplace(op: Declaration) -> None:
    op_checks.check_inplace(op, best_dtype(op), "cpu")


@pytest.mark.parametrize("op", rows(differentiable=True))
def test_gradients(op: Declaration) -> None:
    op_checks.check_gradients(op, "cpu")


@pytest.mark.parametrize("op", rows(differentiable=True))
def test_second_gradients(op: Declaration) -> None:
    op_checks.check_second_gradients(op, "cpu")


# How many elements these give depends on values, which differ from example to example.
DATA_DEPENDENT = {"bincount", "masked_select", "nonzero", "x[mask]"}


# Their definitions look at values (or at the storage) on the way, which forward mode inside vmap
# does not allow.
VALUE_DEPENDENT = {"as_strided_scatter", "istft", "masked_select", "sparse.mm_amax"}


@pytest.mark.parametrize("op", rows())
def test_vmap(op: Declaration) -> None:
    if op.id in DATA_DEPENDENT:
        with pytest.raises(RuntimeError, match="vmap: .*example to example"):
            transform_checks.check_vmap(op, "cpu")
    else:
        transform_checks.check_vmap(op, "cpu")


@pytest.mark.parametrize("op", rows(differentiable=True))
def test_forward_mode(op: Declaration) -> None:
    transform_checks.check_forward_mode(op, "cpu")


@pytest.mark.parametrize("op", rows(differentiable=True))
def test_transforms_nest(op: Declaration) -> None:
    if op.id in VALUE_DEPENDENT:
        with pytest.raises(RuntimeError, match="vmap: .*example"):
            transform_checks.check_nesting(op, "cpu")
    else:
        transform_checks.check_nesting(op, "cpu")


@pytest.mark.parametrize("op", rows(differentiable=True))
def test_results_belong_to_the_graph(op: Declaration) -> None:
    """A result that needs a gradient says so, and none is recorded where none is wanted."""
    sample = op.drawn()[0]
    placed = op_checks.place(sample, "float64", "cpu")
    for result in op_checks.outputs(op.function(*placed.args, **placed.kwargs)):
        assert not result.requires_grad
    recorded, variables = op_checks.with_gradients(sample, "cpu")
    if variables:
        results = op_checks.outputs(op.function(*recorded.args, **recorded.kwargs))
        assert any(r.requires_grad for r in results if r.is_floating_point())
        with fb.no_grad():
            results = op_checks.outputs(op.function(*recorded.args, **recorded.kwargs))
        assert not any(r.requires_grad and r.grad_fn for r in results)


@pytest.mark.parametrize(("alias", "name"), ALIASES.items())
def test_aliases(alias: str, name: str) -> None:
    x = fb.tensor([0.25, 0.5, 0.75, 1.0], dtype=fb.float64)
    x = x + 1 if "acosh" in name else x
    expected = getattr(fb, name)(x)
    assert getattr(fb, alias)(x).equal(expected)
    assert getattr(x, alias)().equal(expected)


@pytest.mark.parametrize(("alias", "name"), BINARY_ALIASES.items())
def test_binary_aliases(alias: str, name: str) -> None:
    x, y = fb.tensor([1.0, 2.0, 3.0]), fb.tensor([3.0, 2.0, 1.0])
    expected = getattr(fb, name)(x, y)
    assert getattr(fb, alias)(x, y).equal(expected)
    assert getattr(x, alias)(y).equal(expected)
