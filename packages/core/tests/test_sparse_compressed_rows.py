"""Sparse matrices by rows (CSR): making them, what ops keep of the layout, gradients."""

from __future__ import annotations

import copy
import io
import pickle
from typing import Any

import numpy as np
import pytest

import flambeau_core as fb

# What the parts below stand for, written down.
DENSE = np.array([[0.0, 2.0, 0.0], [1.0, 0.0, 3.0], [0.0, 0.0, 0.0]])
STARTS, COLUMNS, VALUES = [0, 1, 3, 3], [1, 0, 2], [2.0, 1.0, 3.0]


def example(**options: Any) -> fb.Tensor:
    return fb.sparse_csr_tensor(STARTS, COLUMNS, VALUES, (3, 3), **options)


def test_parts() -> None:
    for x in (example(), fb.tensor(DENSE.tolist()).to_sparse_csr()):
        assert x.layout is fb.sparse_csr and x.is_sparse_csr and not x.is_sparse
        assert x.crow_indices().tolist() == STARTS and x.col_indices().tolist() == COLUMNS
        assert x.values().tolist() == VALUES and x._nnz() == 3
        np.testing.assert_array_equal(x.to_dense().numpy(), DENSE)
    assert not fb.ones(2).is_sparse_csr


@pytest.mark.parametrize(
    ("starts", "columns", "size"),
    [
        ([0, 1], [0, 1], (1, 2)),  # not all elements are in a row
        ([0, 2, 1, 2], [0, 1], (3, 2)),  # a row that ends before it starts
        ([0, 2], [1, 0], (1, 2)),  # not sorted
        ([0, 2], [1, 1], (1, 2)),  # one of them twice
        ([0, 1, 2], [0, 5], (2, 2)),  # outside
        ([0, 1, 2], [0, 1], (3, 2)),  # another number of rows
        ([[0, 2]], [0, 1], (1, 2)),
    ],
)
def test_parts_that_do_not_fit(starts: Any, columns: Any, size: Any) -> None:
    with pytest.raises(RuntimeError):
        fb.sparse_csr_tensor(starts, columns, [1.0] * len(columns), size)


def test_only_matrices_and_only_rows() -> None:
    with pytest.raises(NotImplementedError, match="sparse_csr"):
        fb.ones(2, 2, 2).to_sparse_csr()
    with pytest.raises(NotImplementedError, match="sparse_csc"):
        fb.sparse_compressed_tensor(STARTS, COLUMNS, VALUES, (3, 3), layout=fb.sparse_csc)
    for method in ("indices", "coalesce", "is_coalesced"):
        with pytest.raises(RuntimeError, match="SparseCsr"):
            getattr(example(), method)()
    for refused in (lambda: example().t(), lambda: example().exp()):
        with pytest.raises(NotImplementedError, match="sparse_csr"):
            refused()


def file_round_trip(x: fb.Tensor) -> Any:
    stream = io.BytesIO()
    fb.save(x, stream)
    stream.seek(0)
    return fb.load(stream)


def test_what_ops_keep_of_the_layout() -> None:
    x = example()
    results = {
        "number": (x * 2, 2 * DENSE),
        "sum": (x + x, 2 * DENSE),
        "sine": (x.sin(), np.sin(DENSE)),
        "product": (x @ x, DENSE @ DENSE),
        "dtype": (x.double(), DENSE),
        "in place": (x.clone().add_(x), 2 * DENSE),
        "detached": (x.detach(), DENSE),
        "copied": (copy.deepcopy(x), DENSE),
        "saved": (file_round_trip(x), DENSE),
        "pickled": (pickle.loads(pickle.dumps(x)), DENSE),
    }
    for name, (result, expected) in results.items():
        assert result.layout is fb.sparse_csr, name
        np.testing.assert_allclose(result.to_dense().numpy(), expected, 1e-6, err_msg=name)
    for coordinates in (x.to_sparse(), x[1]):
        assert coordinates.layout is fb.sparse_coo
    dense = fb.ones(3, 2)
    np.testing.assert_array_equal((x @ dense).numpy(), DENSE @ np.ones((3, 2)))
    np.testing.assert_array_equal((fb.ones(3, 3) + x).numpy(), 1 + DENSE)


def test_a_leaf_gets_a_gradient_by_rows() -> None:
    x = example(requires_grad=True)
    left, right = fb.ones(3, 2, requires_grad=True), fb.ones(2, 3)
    result = fb.sparse.sampled_addmm(x, left, right, beta=5.0, alpha=0.5)
    assert result.layout is fb.sparse_csr
    weights = fb.arange(9.0).reshape(3, 3)
    by_x, by_left = fb.autograd.grad((result.to_dense() * weights).sum(), [x, left])
    assert by_x.layout is fb.sparse_csr
    stored = (DENSE != 0) * np.arange(9.0).reshape(3, 3)
    np.testing.assert_array_equal(by_x.to_dense().numpy(), 5 * stored)
    np.testing.assert_array_equal(by_left.numpy(), 0.5 * stored @ np.ones((3, 2)))


def test_the_text() -> None:
    assert repr(example()) == (
        "tensor(crow_indices=tensor([0, 1, 3, 3]),\n"
        "       col_indices=tensor([1, 0, 2]),\n"
        "       values=tensor([2., 1., 3.]),\n"
        "       size=(3, 3), nnz=3, layout=flambeau.sparse_csr)"
    )
