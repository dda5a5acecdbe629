"""Einstein summation and the other composed products, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import flambeau_core as fb


def numbers(*shape: int) -> fb.Tensor:
    count = int(np.prod(shape))
    return fb.from_numpy(np.cos(np.arange(count) * 1.7).reshape(shape))


def close(result: fb.Tensor, expected: Any) -> None:
    assert tuple(result.shape) == np.shape(expected)
    np.testing.assert_allclose(result.numpy(), expected, rtol=1e-12, atol=1e-12)


EQUATIONS = [
    ("ij,jk->ik", (2, 3), (3, 4)),
    ("ij,jk", (2, 3), (3, 4)),
    ("ba,ca", (2, 3), (4, 3)),
    ("bij,bjk->bik", (2, 3, 4), (2, 4, 5)),
    ("i,j->ij", (2,), (3,)),
    ("i,i->", (3,), (3,)),
    ("i,i->i", (3,), (3,)),
    ("ii->i", (3, 3)),
    ("ii", (3, 3)),
    ("iij->j", (3, 3, 2)),
    ("ij->ji", (2, 3)),
    ("ij->", (2, 3)),
    ("...ij,...jk->...ik", (2, 1, 3, 4), (5, 4, 2)),
    ("...i->...", (2, 3)),
    ("i...,i...->...", (3, 2), (3, 2)),
    ("bnqd,bnkd->bnqk", (2, 2, 3, 4), (2, 2, 5, 4)),
    ("ij,jk,kl->il", (2, 3), (3, 4), (4, 2)),
    ("ab,ac,ad->bcd", (3, 2), (3, 2), (3, 2)),
    ("ij,k->ik", (2, 3), (4,)),
    (" i j , j k -> i k ", (2, 3), (3, 2)),
    (",i->i", (), (3,)),
]


@pytest.mark.parametrize("case", EQUATIONS, ids=lambda case: case[0])
def test_einsum(case: tuple[Any, ...]) -> None:
    equation, *shapes = case
    operands = [numbers(*shape) for shape in shapes]
    expected = np.einsum(equation.replace(" ", ""), *(x.numpy() for x in operands))
    close(fb.einsum(equation, *operands), expected)
    close(fb.einsum(equation, operands), expected)


def test_einsum_strided_operands_and_empty_sums() -> None:
    a, b = numbers(3, 2).t(), numbers(4, 3).t()
    close(fb.einsum("ij,jk->ik", a, b), a.numpy() @ b.numpy())
    close(fb.einsum("ij,jk->ik", numbers(2, 0), numbers(0, 3)), np.zeros((2, 3)))


def test_einsum_with_lists_of_labels() -> None:
    a, b = numbers(2, 3), numbers(3, 4)
    close(fb.einsum(a, [0, 1], b, [1, 2], [0, 2]), a.numpy() @ b.numpy())
    close(fb.einsum(a, [0, 1], b, [1, 2]), a.numpy() @ b.numpy())
    close(fb.einsum(a, [..., 1], [1, ...]), a.numpy().T)


def test_einsum_integers() -> None:
    a = fb.tensor([[1, 2], [3, 4]])
    result = fb.einsum("ij,jk->ik", a, a)
    assert result.dtype == fb.int64
    assert result.tolist() == [[7, 10], [15, 22]]


@pytest.mark.parametrize(
    ("equation", "shapes", "message"),
    [
        ("ij,jk->ik", [(2, 3)], "2 operands, but 1"),
        ("ij->i", [(2,)], "number of subscripts"),
        ("ij->k", [(2, 3)], "does not appear"),
        ("ij->ii", [(2, 3)], "more than once"),
        ("ij,jk->ik", [(2, 3), (4, 2)], r"3 and 4.*\(2, 3\).*\(4, 2\)"),
        ("ii->i", [(2, 3)], r"\(2, 3\)"),
        ("i1->i", [(2, 3)], "invalid subscript"),
    ],
)
def test_einsum_errors(equation: str, shapes: list[Any], message: str) -> None:
    with pytest.raises(RuntimeError, match=message):
        fb.einsum(equation, *(numbers(*shape) for shape in shapes))


def test_vectors() -> None:
    a, b = numbers(3), numbers(4)
    close(fb.outer(a, b), np.outer(a.numpy(), b.numpy()))
    close(fb.ger(a, b), np.outer(a.numpy(), b.numpy()))
    close(fb.vdot(a, a), np.vdot(a.numpy(), a.numpy()))
    close(
        fb.inner(numbers(2, 3), numbers(4, 3)),
        np.inner(numbers(2, 3).numpy(), numbers(4, 3).numpy()),
    )
    with pytest.raises(RuntimeError, match=r"outer.*\(2, 3\)"):
        fb.outer(numbers(2, 3), a)


@pytest.mark.parametrize(
    "shapes", [((2, 3), (4, 5)), ((2,), (3, 2)), ((), (2,)), ((2, 1, 2), (3,))]
)
def test_kron(shapes: Any) -> None:
    a, b = numbers(*shapes[0]), numbers(*shapes[1])
    close(fb.kron(a, b), np.kron(a.numpy(), b.numpy()))


def test_cross() -> None:
    a, b = numbers(2, 3), numbers(2, 3) + 0.3
    close(fb.cross(a, b, dim=1), np.cross(a.numpy(), b.numpy()))
    close(fb.cross(a, b), np.cross(a.numpy(), b.numpy()))
    with pytest.raises(RuntimeError, match="size 3"):
        fb.cross(numbers(2, 2), numbers(2, 2))


@pytest.mark.parametrize("dims", [0, 1, 2, ([0], [2]), ([2, 0], [0, 2])])
def test_tensordot(dims: Any) -> None:
    a, b = numbers(2, 3, 4), numbers(4, 3, 2)
    if dims == 2:
        b = numbers(3, 4, 2)
    close(fb.tensordot(a, b, dims=dims), np.tensordot(a.numpy(), b.numpy(), dims))


def test_tensordot_names_both_shapes() -> None:
    with pytest.raises(RuntimeError, match=r"\(2, 3\).*\(2, 3\)"):
        fb.tensordot(numbers(2, 3), numbers(2, 3), dims=1)


def test_added_products() -> None:
    matrix, vector, bias = numbers(2, 3), numbers(3), numbers(2) + 2
    m, v, b = matrix.numpy(), vector.numpy(), bias.numpy()
    close(fb.addmv(bias, matrix, vector, beta=0.5, alpha=2), 0.5 * b + 2 * m @ v)
    close(fb.addr(matrix, bias, vector, alpha=3), m + 3 * np.outer(b, v))
    batch1, batch2 = numbers(4, 2, 3), numbers(4, 3, 2)
    expected = np.matmul(batch1.numpy(), batch2.numpy()).sum(0)
    close(fb.addbmm(fb.ones(2, 2, dtype=fb.float64), batch1, batch2), expected + 1)


def test_zero_beta_ignores_nan() -> None:
    bias = fb.full((2,), float("nan"), dtype=fb.float64)
    assert bool(fb.addmv(bias, numbers(2, 3), numbers(3), beta=0).isfinite().all())


@pytest.mark.parametrize("dtype", [fb.uint8, fb.int16, fb.int32, fb.int64], ids=str)
def test_whole_numbers_keep_their_dtype(dtype: Any) -> None:
    batch1 = fb.arange(12, dtype=dtype).reshape(2, 2, 3)
    batch2 = fb.ones(2, 3, 2, dtype=dtype)
    result = fb.addbmm(fb.ones(2, 2, dtype=dtype), batch1, batch2)
    assert result.dtype == dtype
    assert result.tolist() == [[25, 25], [43, 43]]


def test_einsum_of_one_operand_sums_in_int64() -> None:
    x = fb.tensor([[100, 27], [100, 1]], dtype=fb.int8)
    assert fb.einsum("ij->i", x).tolist() == [127, 101]
    assert fb.einsum("ij->j", x).tolist() == [200, 28]
    assert fb.einsum("ij->j", x).dtype == fb.int64
    assert fb.einsum("ij->ji", x).dtype == fb.int8


def test_baddbmm_of_whole_numbers_drops_fractions() -> None:
    ones = fb.ones(1, 2, 2, dtype=fb.int64)
    assert fb.baddbmm(ones, ones, ones, beta=1.9, alpha=2.5).tolist() == [[[5, 5], [5, 5]]]
    with pytest.raises(RuntimeError, match="beta and alpha"):
        fb.addmm(ones[0], ones[0], ones[0], beta=0.5)
