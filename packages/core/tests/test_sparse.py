"""Sparse tensors: how they are made, asked, printed, kept, refused, and where gradients end.

Values and gradients of the ops are among the samples of op_samples.
"""

from __future__ import annotations

import copy
import io
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import flambeau_core as fb

INDICES = [[0, 1, 1], [2, 0, 2]]
# What INDICES and the values 3, 4, 5 stand for, written down.
DENSE = np.array([[0.0, 0.0, 3.0], [4.0, 0.0, 5.0]])


def example(**options: Any) -> fb.Tensor:
    return fb.sparse_coo_tensor(INDICES, [3.0, 4.0, 5.0], (2, 3), **options)


# ---- making them ----------------------------------------------------------------------


def test_a_tensor_of_coordinates_and_values() -> None:
    x = example()
    assert isinstance(x, fb.Tensor) and x.is_sparse and x.layout is fb.sparse_coo
    assert (tuple(x.shape), x.dtype, x.ndim, x.numel()) == ((2, 3), fb.float32, 2, 6)
    assert (x.sparse_dim(), x.dense_dim(), x._nnz()) == (2, 0, 3)
    np.testing.assert_array_equal(x.to_dense().numpy(), DENSE)


def test_the_size_is_the_smallest_that_holds_all() -> None:
    assert fb.sparse_coo_tensor([[0, 4], [2, 1]], fb.ones(2, 3)).shape == (5, 3, 3)


def test_values_may_be_slices() -> None:
    x = fb.sparse_coo_tensor([[2, 0]], [[1.0, 2.0], [3.0, 4.0]], (3, 2))
    assert (x.sparse_dim(), x.dense_dim()) == (1, 1)
    assert x.to_dense().tolist() == [[3, 4], [0, 0], [1, 2]]


def test_a_size_alone_gives_zeros() -> None:
    for x in (fb.sparse_coo_tensor((2, 3)), fb.sparse_coo_tensor(size=(2, 3), dtype=fb.float32)):
        assert x._nnz() == 0 and x.is_coalesced()
        assert x.to_dense().tolist() == [[0, 0, 0], [0, 0, 0]]


def test_the_dtype_is_that_of_the_values_or_the_one_asked_for() -> None:
    assert fb.sparse_coo_tensor([[0]], [1]).dtype == fb.int64
    assert fb.sparse_coo_tensor([[0]], [1], dtype=fb.float64).dtype == fb.float64


@pytest.mark.parametrize(
    ("indices", "values", "size", "message"),
    [
        ([1], [1.0], (3,), "sparse_dim x nnz"),
        ([[1, 2]], [1.0], (3,), "same nnz"),
        ([[1, 2]], [1.0, 2.0], (3, 3), r"\[3, 3\] needs 1 sparse"),
        ([[1]], [[1.0, 2.0]], (3, 3), "values has incorrect size"),
        ([[3]], [1.0], (3,), "size is 3 but found index 3"),
        ([[-1]], [1.0], (3,), "negative index -1 for dim 0"),
        ([[0]], [1.0], (-3,), "negative"),
    ],
)
def test_parts_that_do_not_fit(indices: Any, values: Any, size: Any, message: str) -> None:
    with pytest.raises(RuntimeError, match=message):
        fb.sparse_coo_tensor(indices, values, size)


def test_a_promise_of_order_is_checked_where_asked() -> None:
    with pytest.raises(RuntimeError, match="is_coalesced"):
        fb.sparse_coo_tensor([[1, 0]], [1.0, 2.0], is_coalesced=True, check_invariants=True)


# ---- from dense tensors -----------------------------------------------------------------


@pytest.mark.parametrize("dtype", [fb.float64, fb.int32, fb.bool, fb.bfloat16, fb.complex64])
@pytest.mark.parametrize("sparse_dim", [1, 2])
def test_what_is_not_zero_is_stored(dtype: fb.dtype, sparse_dim: int) -> None:
    dense = fb.tensor([[0, 0, 0], [1, 0, 1]]).to(dtype)
    x = dense.to_sparse(sparse_dim)
    assert x.dtype == dtype and x.is_coalesced()
    assert x.indices().tolist() == ([[1]] if sparse_dim == 1 else [[1, 1], [0, 2]])
    assert fb.equal(x.to_dense(), dense)


@pytest.mark.parametrize("sparse_dim", [0, 3, -1])
def test_no_such_number_of_sparse_dimensions(sparse_dim: int) -> None:
    with pytest.raises(RuntimeError, match=r"in \[1, 2\].*shape \[2, 3\]"):
        fb.zeros(2, 3).to_sparse(sparse_dim)


def test_other_layouts_are_refused() -> None:
    with pytest.raises(NotImplementedError, match="sparse_cs"):
        fb.zeros(2, 3).to_sparse(layout=fb.sparse_csc)


def test_a_number_is_sparse_too() -> None:
    assert fb.tensor(3.0).to_sparse().to_dense().item() == 3
    assert fb.tensor(0.0).to_sparse()._nnz() == 0


def test_dense_tensors_say_that_they_are_dense() -> None:
    x = fb.ones(2, 3)
    assert not x.is_sparse and x.to_dense() is x
    assert (x.sparse_dim(), x.dense_dim()) == (0, 2)
    for method in ("coalesce", "is_coalesced", "indices", "values"):
        with pytest.raises(RuntimeError, match=f"{method} expected sparse"):
            getattr(x, method)()


# ---- coalescing -----------------------------------------------------------------------


def test_coalescing_sorts_and_adds_up() -> None:
    x = fb.sparse_coo_tensor([[1, 0, 1], [1, 2, 1]], [1.0, 2.0, 4.0], (2, 3))
    assert not x.is_coalesced()
    for ask in (x.indices, x.values):
        with pytest.raises(RuntimeError, match="coalesce"):
            ask()
    y = x.coalesce()
    assert y.is_coalesced() and y.coalesce() is y
    assert y.indices().tolist() == [[0, 1], [2, 1]] and y.values().tolist() == [2, 5]


def test_truth_values_that_repeat() -> None:
    x = fb.sparse_coo_tensor([[1, 1, 0]], [True, True, False], (3,))
    assert x.coalesce().values().tolist() == [False, True]
    assert x.to_dense().tolist() == [False, True, False]


# ---- ops ------------------------------------------------------------------------------


def test_shapes() -> None:
    x = example()
    views: dict[str, tuple[fb.Tensor, Any]] = {
        "transpose": (x.transpose(0, 1), DENSE.T),
        "unsqueeze": (x.unsqueeze(1), DENSE[:, None]),
        "select": (x[1], DENSE[1]),
        "index_select": (x.index_select(1, fb.tensor([2, 0, 2])), DENSE[:, [2, 0, 2]]),
        "cat": (fb.cat([x, x], 1), np.concatenate([DENSE, DENSE], 1)),
        "stack": (fb.stack([x, x]), np.stack([DENSE, DENSE])),
    }
    for name, (result, expected) in views.items():
        assert result.is_sparse, name
        np.testing.assert_array_equal(result.to_dense().numpy(), expected, name)
    assert x[1, 2].item() == 5
    with pytest.raises(IndexError):
        x[2]


def test_sums_of_dense_and_sparse() -> None:
    x, ones = example(), fb.ones(2, 3)
    np.testing.assert_array_equal((ones + x).numpy(), 1 + DENSE)
    np.testing.assert_array_equal(ones.clone().add_(x, alpha=2).numpy(), 1 + 2 * DENSE)
    np.testing.assert_array_equal(ones.clone().sub_(x).numpy(), 1 - DENSE)
    for wrong in (lambda: x + ones, lambda: x + 1, lambda: x - ones):
        with pytest.raises(RuntimeError, match=r"add\(dense, sparse\)"):
            wrong()


def test_into_a_dense_tensor_only_what_is_stored_is_written() -> None:
    table = fb.zeros(4, 2)
    table.add_(fb.sparse_coo_tensor([[1, 3, 1]], fb.ones(3, 2), (4, 2)), alpha=-0.5)
    assert table.tolist() == [[0, 0], [-1, -1], [0, 0], [-0.5, -0.5]]


def test_in_place() -> None:
    x = example()
    same = x.mul_(2).add_(example()).neg_()
    assert same is x
    np.testing.assert_array_equal(x.to_dense().numpy(), -3 * DENSE)
    assert x.zero_()._nnz() == 0


def test_a_leaf_is_not_changed_in_place() -> None:
    with pytest.raises(RuntimeError, match="leaf"):
        example(requires_grad=True).mul_(2)


def test_conversions() -> None:
    x = example()
    assert x.to(fb.float32) is x
    assert x.double().dtype == fb.float64 and x.type() == "flambeau.sparse.FloatTensor"
    assert x.to(fb.zeros(1, dtype=fb.int64)).to_dense().tolist() == DENSE.tolist()


def test_products_of_shapes_that_do_not_fit() -> None:
    with pytest.raises(RuntimeError, match=r"\[2, 3\] and \[2, 3\]"):
        fb.sparse.mm(example(), fb.ones(2, 3))
    with pytest.raises(RuntimeError, match="same dtype"):
        fb.sparse.mm(example(), fb.ones(3, 2, dtype=fb.float64))


REFUSED: dict[str, Callable[[fb.Tensor], Any]] = {
    "exp": lambda x: x.exp(),
    "eq": lambda x: x == x,
    "view": lambda x: x.view(6),
    "tolist": lambda x: x.tolist(),
    "Tensor.tolist": lambda x: fb.Tensor.tolist(x),
    "data_ptr": lambda x: x.data_ptr(),
    "__setitem__": lambda x: x.__setitem__(0, 1.0),
    "storage": lambda x: x.untyped_storage(),
    "where": lambda x: fb.where(fb.ones(2, 3) > 0, x, fb.ones(2, 3)),
    "index": lambda x: x[:1],
    "_foreach_add": lambda x: fb._foreach_add([fb.ones(2, 3)], [x]),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_meaning_is_refused_by_name(name: str) -> None:
    with pytest.raises(NotImplementedError, match=name):
        REFUSED[name](example())


def test_overrides_switched_off_do_not_show_the_memory_that_stands_in() -> None:
    with fb.overrides.DisableTorchFunctionSubclass():
        assert fb.sparse.sum(example()).item() == 12
        assert example()[1].to_dense().tolist() == [4, 0, 5]
        with pytest.raises(NotImplementedError):
            example().exp()


@pytest.mark.parametrize(
    "take",
    [
        lambda x: fb.Tensor(x),
        lambda x: x.as_subclass(fb.Tensor),
        lambda x: fb.Tensor._make_subclass(fb.Tensor, x),
        lambda x: setattr(fb.ones(2, 3), "data", x),
        lambda x: fb.ones(2, 3).set_(x),
        lambda x: np.asarray(x),
        lambda x: fb.ones(2, 3).copy_(x),
    ],
)
def test_no_dense_tensor_takes_it_over(take: Callable[[fb.Tensor], Any]) -> None:
    with pytest.raises((RuntimeError, TypeError)):
        take(example())


# ---- gradients --------------------------------------------------------------------------


def test_a_leaf_gets_a_sparse_gradient_of_its_own_coordinates() -> None:
    x = example(requires_grad=True)
    assert x.is_leaf and x.requires_grad and x.grad is None
    weights = fb.arange(6.0).reshape(3, 2)
    for _ in range(2):
        (x @ weights).sum().backward()
    # The sums of the rows of the weights are 1, 5 and 9; two passes.
    assert x.grad is not None and x.grad.is_sparse
    assert x.grad.to_dense().tolist() == [[0, 0, 18], [2, 0, 18]]
    (found,) = fb.autograd.grad((x * x).sum(), x)
    np.testing.assert_array_equal(found.to_dense().numpy(), 2 * DENSE)


def test_gradients_flow_to_the_values_given() -> None:
    values = fb.tensor([3.0, 4.0, 5.0], requires_grad=True)
    x = fb.sparse_coo_tensor(INDICES, values, (2, 3))
    assert not x.is_leaf and x.requires_grad
    (x.to_dense() * fb.arange(6.0).reshape(2, 3)).sum().backward()
    assert values.grad is not None and values.grad.tolist() == [2, 3, 5]


def test_a_sparse_result_may_start_the_backward_pass() -> None:
    dense = fb.tensor([[0.0, 2.0], [3.0, 0.0]], requires_grad=True)
    fb.autograd.backward(dense.to_sparse() * 2, fb.tensor([[1.0, 10.0], [100.0, 1000.0]]))
    assert dense.grad is not None and dense.grad.tolist() == [[0, 20], [200, 0]]


def looked_up(table: fb.Tensor, *rows: int) -> fb.Tensor:
    return fb.nn_ops.embedding(fb.tensor(rows), table, None, False, True)


def test_a_table_gets_the_rows_that_were_looked_up() -> None:
    table = fb.zeros(4, 2, requires_grad=True)
    looked_up(table, 1, 3, 1).sum().backward()
    assert table.grad is not None and table.grad.is_sparse
    assert table.grad._indices().tolist() == [[1, 3, 1]]
    looked_up(table, 3).sum().backward()
    assert table.grad.is_sparse and table.grad.to_dense().tolist() == [
        [0, 0],
        [2, 2],
        [0, 0],
        [2, 2],
    ]


@pytest.mark.parametrize("sparse_first", [False, True])
def test_dense_and_sparse_gradients_add_up(sparse_first: bool) -> None:
    table = fb.zeros(3, 2, requires_grad=True)
    parts = [table.sum(), looked_up(table, 1, 1).sum() * 5]
    for part in reversed(parts) if sparse_first else parts:
        part.backward()
    assert table.grad is not None and not table.grad.is_sparse
    assert table.grad.tolist() == [[1, 1], [11, 11], [1, 1]]
    # In one pass too, and seen by a hook.
    seen: list[fb.Tensor] = []
    table.grad = None
    table.register_hook(seen.append)
    (table.sum() + looked_up(table, 1, 1).sum() * 5).backward()
    assert seen[0].tolist() == table.grad.tolist() == [[1, 1], [11, 11], [1, 1]]


def test_nodes_of_the_graph_get_dense_gradients() -> None:
    leaf = fb.ones(3, 2, requires_grad=True)
    looked_up(leaf * 2, 2, 2).sum().backward()
    assert leaf.grad is not None and not leaf.grad.is_sparse
    assert leaf.grad.tolist() == [[0, 0], [0, 0], [4, 4]]


class Twice(fb.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: fb.Tensor, weight: fb.Tensor) -> fb.Tensor:
        return x.to_dense() * weight

    @staticmethod
    def backward(ctx: Any, grad: fb.Tensor) -> Any:
        return None, grad.to_sparse()


def test_custom_functions_give_sparse_gradients_but_have_none_for_sparse_inputs() -> None:
    weight = fb.ones(2, 3, requires_grad=True)
    Twice.apply(example(), weight).sum().backward()
    assert weight.grad is not None and weight.grad.is_sparse
    assert weight.grad.to_dense().tolist() == [[1, 1, 1], [1, 1, 1]]
    with pytest.raises(NotImplementedError, match="Twice: custom functions"):
        Twice.apply(example(requires_grad=True), weight)


def test_two_leaves_do_not_share_one_gradient() -> None:
    class Both(fb.autograd.Function):
        @staticmethod
        def forward(ctx: Any, a: fb.Tensor, b: fb.Tensor) -> fb.Tensor:
            return a + b

        @staticmethod
        def backward(ctx: Any, grad: fb.Tensor) -> Any:
            shared = grad.to_sparse()
            return shared, shared

    a, b = fb.ones(2, requires_grad=True), fb.ones(2, requires_grad=True)
    Both.apply(a, b).sum().backward()
    assert a.grad is not None and b.grad is not None
    a.grad.zero_()
    assert b.grad.to_dense().tolist() == [1, 1]


# ---- printing and keeping ------------------------------------------------------------------


def test_the_text() -> None:
    assert repr(example()) == (
        "tensor(indices=tensor([[0, 1, 1],\n"
        "                       [2, 0, 2]]),\n"
        "       values=tensor([3., 4., 5.]),\n"
        "       size=(2, 3), nnz=3, layout=flambeau.sparse_coo)"
    )
    assert repr(fb.sparse_coo_tensor((2, 2), dtype=fb.float64, requires_grad=True)) == (
        "tensor(indices=tensor([], size=(2, 0)),\n"
        "       values=tensor([], size=(0,)),\n"
        "       size=(2, 2), nnz=0, dtype=flambeau.float64, layout=flambeau.sparse_coo, "
        "requires_grad=True)"
    )


def file_round_trip(x: fb.Tensor) -> Any:
    stream = io.BytesIO()
    fb.save({"x": x}, stream)
    stream.seek(0)
    return fb.load(stream)["x"]


@pytest.mark.parametrize(
    "kept", [lambda x: pickle.loads(pickle.dumps(x)), copy.deepcopy, file_round_trip]
)
def test_copies_and_files(kept: Callable[[fb.Tensor], Any]) -> None:
    for x in (example(), example().coalesce()):
        y = kept(x)
        assert y.is_sparse and y is not x and y.is_coalesced() == x.is_coalesced()
        np.testing.assert_array_equal(y.to_dense().numpy(), DENSE)
    if kept is not file_round_trip:
        assert kept(example(requires_grad=True)).requires_grad


def test_old_constructors() -> None:
    indices, values = fb.tensor(INDICES), fb.tensor([3.0, 4.0, 5.0])
    x = fb.sparse.DoubleTensor(indices, values, fb.Size([2, 3]))
    assert x.dtype == fb.float64
    np.testing.assert_array_equal(x.to_dense().numpy(), DENSE)
    assert fb.sparse.FloatTensor(2, 3).shape == (2, 3)
