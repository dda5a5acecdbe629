"""Composed ops that move elements: triangles, diagonals, orders, repeats, joins and splits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import flambeau_core as fb
from flambeau_core import func, nn_ops

DTYPES = [fb.float32, fb.float64, fb.float16, fb.bfloat16, fb.int64, fb.uint8, fb.bool]


def counting(*shape: int) -> fb.Tensor:
    count = int(np.prod(shape))
    return fb.arange(count).reshape(shape)


def same(result: fb.Tensor, expected: Any) -> None:
    expected = np.asarray(expected)
    assert tuple(result.shape) == expected.shape
    assert result.tolist() == expected.tolist()


@pytest.mark.parametrize("diagonal", [-4, -1, 0, 1, 4])
@pytest.mark.parametrize("shape", [(3, 4), (4, 2), (2, 3, 3), (0, 3), (2, 0)])
def test_triangles(shape: tuple[int, ...], diagonal: int) -> None:
    x = counting(*shape)
    same(fb.tril(x, diagonal), np.tril(x.numpy(), diagonal))
    same(fb.triu(x, diagonal), np.triu(x.numpy(), diagonal))
    same(x.clone().tril_(diagonal), np.tril(x.numpy(), diagonal))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_triangle_keeps_dtype_and_drops_nan(dtype: Any) -> None:
    x = fb.ones(3, 3, dtype=dtype)
    assert fb.tril(x).dtype == dtype
    assert fb.tril(x).to(fb.int64).tolist() == [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
    nan = fb.full((2, 2), float("nan"))
    assert fb.triu(nan, 1)[1].tolist() == [0.0, 0.0]


def test_triangle_of_vector_is_refused() -> None:
    with pytest.raises(RuntimeError, match=r"tril.*\(3,\)"):
        fb.tril(fb.ones(3))


@pytest.mark.parametrize("offset", [-2, 0, 3])
def test_triangle_indices(offset: int) -> None:
    same(fb.tril_indices(3, 4, offset), np.stack(np.tril_indices(3, offset, 4)))
    same(fb.triu_indices(3, 4, offset), np.stack(np.triu_indices(3, offset, 4)))
    assert fb.tril_indices(2, 2, dtype=fb.int32).dtype == fb.int32


def test_eye() -> None:
    same(fb.eye(2, 3), np.eye(2, 3))
    assert fb.eye(2).dtype == fb.float32
    assert fb.eye(2, dtype=fb.int64).tolist() == [[1, 0], [0, 1]]
    assert tuple(fb.eye(0).shape) == (0, 0)
    with pytest.raises(RuntimeError, match="n=-1"):
        fb.eye(-1)


@pytest.mark.parametrize("offset", [-1, 0, 2])
def test_diag(offset: int) -> None:
    vector, matrix = counting(3), counting(3, 4)
    same(fb.diag(vector, offset), np.diag(vector.numpy(), offset))
    same(fb.diag(matrix, offset), np.diag(matrix.numpy(), offset))
    same(fb.diagflat(counting(2, 2), offset), np.diagflat(np.arange(4), offset))


def test_diag_is_a_copy() -> None:
    matrix = fb.zeros(2, 2)
    fb.diag(matrix).fill_(5)
    assert matrix.tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_diag_embed_places_dimensions() -> None:
    x = fb.tensor([[1, 2], [3, 4]])
    assert fb.diag_embed(x).tolist() == [[[1, 0], [0, 2]], [[3, 0], [0, 4]]]
    assert fb.diag_embed(x, 1, 0, 2).tolist() == [
        [[0, 1, 0], [0, 3, 0]],
        [[0, 0, 2], [0, 0, 4]],
        [[0, 0, 0], [0, 0, 0]],
    ]
    with pytest.raises(RuntimeError, match="differ"):
        fb.diag_embed(x, 0, 1, 1)


def test_trace_and_diagonal_scatter() -> None:
    x = counting(3, 4)
    assert fb.trace(x).item() == 0 + 5 + 10
    result = fb.diagonal_scatter(x, fb.tensor([-1, -2]), -1)
    assert result.tolist() == [[0, 1, 2, 3], [-1, 5, 6, 7], [8, -2, 10, 11]]
    assert x[1, 0].item() == 4


def test_fill_diagonal_wraps() -> None:
    x = fb.zeros(6, 2, dtype=fb.int64)
    assert x.fill_diagonal_(1, wrap=True).tolist() == [
        [1, 0],
        [0, 1],
        [0, 0],
        [1, 0],
        [0, 1],
        [0, 0],
    ]


@pytest.mark.parametrize("dims", [(0,), (1,), (-1, 0), ()])
def test_flip(dims: tuple[int, ...]) -> None:
    x = counting(2, 3)
    same(fb.flip(x, dims), np.flip(x.numpy(), dims))
    same(x.t().flip(dims), np.flip(x.numpy().T, dims))


def test_flip_makes_a_copy_and_refuses_repeats() -> None:
    x = fb.zeros(2)
    fb.flip(x, []).fill_(1)
    assert x.tolist() == [0.0, 0.0]
    with pytest.raises(RuntimeError, match="multiple times"):
        fb.flip(counting(2, 3), [0, 0])
    with pytest.raises(IndexError, match="out of range"):
        fb.flip(counting(2, 3), [2])


@pytest.mark.parametrize("k", [-1, 0, 1, 2, 3, 4])
def test_rot90(k: int) -> None:
    x = counting(2, 3, 2)
    same(fb.rot90(x, k), np.rot90(x.numpy(), k))
    same(fb.rot90(x, k, [2, 1]), np.rot90(x.numpy(), k, (2, 1)))


@pytest.mark.parametrize(
    ("shifts", "dims"), [(1, 0), (-2, 1), ([1, 2], [0, 1]), (4, None), ([7, -7], [1, 0])]
)
def test_roll(shifts: Any, dims: Any) -> None:
    x = counting(2, 3)
    result = fb.roll(x, shifts) if dims is None else fb.roll(x, shifts, dims)
    expected = np.roll(
        x.numpy(), shifts, dims if dims is None or isinstance(dims, int) else tuple(dims)
    )
    same(result, expected)


def test_repeat_and_tile() -> None:
    x = counting(2, 2)
    same(x.repeat(2, 1, 3), np.tile(x.numpy(), (2, 1, 3)))
    same(x.repeat([1, 2]), np.tile(x.numpy(), (1, 2)))
    same(fb.tile(x, (3,)), np.tile(x.numpy(), 3))
    assert tuple(x.repeat(0, 1).shape) == (0, 2)
    x.repeat(1, 1).fill_(9)
    assert x[0, 0].item() == 0
    with pytest.raises(RuntimeError, match=r"\(2, 2\)"):
        x.repeat(2)


@pytest.mark.parametrize(
    "op",
    [
        lambda x: x.repeat(3, 1),
        lambda x: x.repeat(0, 1),
        lambda x: x.tile(2, 1),
        lambda x: x.repeat_interleave(3, 0),
        lambda x: nn_ops.pixel_shuffle(x.view(1, 4, 1, 1), 2),
        lambda x: nn_ops.pixel_unshuffle(x.view(1, 1, 2, 2), 1),
        lambda x: nn_ops.channel_shuffle(x.view(1, 4, 1), 1),
    ],
)
def test_repeating_and_shuffling_make_new_tensors(op: Any) -> None:
    """Of one row a reshape would be a view, even of memory that repeats."""
    x = fb.ones(1, 4)
    y = op(x)
    assert y.is_contiguous() and y._version == 0
    y.add_(1)
    assert x.tolist() == [[1, 1, 1, 1]] and x._version == 0


def test_repeating_another_layout_inside_vmap() -> None:
    x = fb.arange(18.0).reshape(2, 3, 1, 3)
    for op in (lambda x: x.mT.repeat(2, 1, 1), lambda x: x.mT.repeat_interleave(2, 0)):
        together = func.vmap(lambda x, op=op: op(x.transpose(0, 2)))(x)
        same(together, fb.stack([op(row.transpose(0, 2)) for row in x]).numpy())


def test_repeat_interleave() -> None:
    x = counting(2, 2)
    same(fb.repeat_interleave(x, 2), np.repeat(x.numpy(), 2))
    same(x.repeat_interleave(3, dim=1), np.repeat(x.numpy(), 3, 1))
    same(x.repeat_interleave(fb.tensor([2, 0]), 0), np.repeat(x.numpy(), [2, 0], 0))
    assert fb.repeat_interleave(fb.tensor([1, 0, 2])).tolist() == [0, 2, 2]
    with pytest.raises(RuntimeError, match="negative"):
        x.repeat_interleave(fb.tensor([1, -1]), 0)
    with pytest.raises(RuntimeError, match="3 repeats for 2"):
        x.repeat_interleave(fb.tensor([1, 1, 1]), 0)


def test_meshgrid() -> None:
    a, b = counting(2), counting(3)
    for indexing in ("ij", "xy"):
        expected = np.meshgrid(a.numpy(), b.numpy(), indexing=indexing)
        for result in (
            fb.meshgrid(a, b, indexing=indexing),
            fb.meshgrid([a, b], indexing=indexing),
        ):
            assert len(result) == 2
            for grid, other in zip(result, expected):
                same(grid, other)
    (alone,) = fb.meshgrid(a, indexing="ij")
    same(alone, a.numpy())
    with pytest.raises(RuntimeError, match="same dtype"):
        fb.meshgrid(a, b.to(fb.float32), indexing="ij")


def test_broadcasting_gives_views() -> None:
    a, b = fb.zeros(2, 1), fb.zeros(3)
    left, right = fb.broadcast_tensors(a, b)
    assert tuple(left.shape) == tuple(right.shape) == (2, 3)
    a[0, 0] = 7.0
    assert left[0].tolist() == [7.0] * 3
    assert tuple(fb.broadcast_to(b, (4, 3)).shape) == (4, 3)


def test_at_least_dimensions() -> None:
    assert tuple(fb.atleast_1d(fb.tensor(3)).shape) == (1,)
    shapes = [tuple(x.shape) for x in fb.atleast_2d(fb.tensor(1), fb.ones(3))]
    assert shapes == [(1, 1), (1, 3)]
    assert [tuple(x.shape) for x in fb.atleast_3d((fb.ones(3), fb.ones(2, 3)))] == [
        (1, 3, 1),
        (2, 3, 1),
    ]


def test_combinations_and_products() -> None:
    x = fb.tensor([4, 5, 6])
    assert fb.combinations(x).tolist() == [[4, 5], [4, 6], [5, 6]]
    assert fb.combinations(x, 2, True).shape[0] == 6
    assert fb.combinations(x, 3).tolist() == [[4, 5, 6]]
    assert fb.cartesian_prod(fb.tensor([1, 2]), fb.tensor([3, 4])).tolist() == [
        [1, 3],
        [1, 4],
        [2, 3],
        [2, 4],
    ]


def test_stacks() -> None:
    a, b = counting(3), counting(3) + 10
    x, y = counting(2, 3), counting(2, 3) + 10
    for name in ("hstack", "vstack", "dstack", "column_stack"):
        for first, second in ((a, b), (x, y)):
            result = getattr(fb, name)([first, second])
            same(result, getattr(np, name)([first.numpy(), second.numpy()]))


def test_block_diag() -> None:
    result = fb.block_diag(fb.tensor([[1, 2]]), fb.tensor(3), fb.tensor([4.0, 5.0]))
    assert result.tolist() == [[1, 2, 0, 0, 0], [0, 0, 3, 0, 0], [0, 0, 0, 4, 5]]
    assert result.dtype == fb.float32
    with pytest.raises(RuntimeError, match="2 or fewer"):
        fb.block_diag(fb.ones(1, 1, 1))


@pytest.mark.parametrize("cuts", [1, 2, 3, 5, [1, 3], [-2], [4, 2], []])
def test_tensor_split(cuts: Any) -> None:
    x = counting(5, 2)
    expected = np.array_split(x.numpy(), cuts)
    result = fb.tensor_split(x, cuts)
    assert len(result) == len(expected)
    for part, other in zip(result, expected):
        same(part, other)


def test_tensor_split_by_tensor_and_direction() -> None:
    x = counting(4, 4, 4)
    assert [p.shape[1] for p in fb.tensor_split(x, fb.tensor([1, 2]), dim=1)] == [1, 1, 2]
    assert [tuple(p.shape) for p in fb.hsplit(x, 2)] == [(4, 2, 4)] * 2
    assert [tuple(p.shape) for p in fb.vsplit(x, 4)] == [(1, 4, 4)] * 4
    assert [tuple(p.shape) for p in fb.dsplit(x, [1])] == [(4, 4, 1), (4, 4, 3)]
    with pytest.raises(RuntimeError, match="not divisible"):
        fb.hsplit(x, 3)
    with pytest.raises(RuntimeError, match="at least 3"):
        fb.dsplit(counting(2, 2), 1)


def test_splits_are_views() -> None:
    x = fb.zeros(4)
    fb.tensor_split(x, 2)[1].fill_(1)
    assert x.tolist() == [0.0, 0.0, 1.0, 1.0]
