"""Optimizers with sparse gradients, against the rules computed with NumPy on dense arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import flambeau_core as fb
import flambeau_optim as optim

Array = Any
START = np.arange(8.0).reshape(4, 2) / 4 - 0.7
# The rows that have a gradient in each step; one repeats.
ROWS = [[1, 3, 1], [0], [3, 1]]


def row_gradients(step: int) -> Array:
    return np.cos(np.arange(2.0 * len(ROWS[step])) + step).reshape(-1, 2)


def dense_gradient(step: int) -> Array:
    grad = np.zeros(START.shape)
    np.add.at(grad, ROWS[step], row_gradients(step))
    return grad


def touched(step: int) -> Array:
    return np.isin(np.arange(len(START)), ROWS[step])[:, None]


def after(optimizer: type, **options: Any) -> Array:
    param = fb.tensor(START.tolist(), dtype=fb.float64, requires_grad=True)
    opt = optimizer([param], **options)
    for step in range(len(ROWS)):
        values = fb.tensor(row_gradients(step).tolist(), dtype=fb.float64)
        param.grad = fb.sparse_coo_tensor([ROWS[step]], values, tuple(START.shape))
        opt.step()
    return param.detach().numpy()


@pytest.mark.parametrize("maximize", [False, True])
@pytest.mark.parametrize(
    ("momentum", "dampening", "nesterov"), [(0, 0, False), (0.9, 0.25, False), (0.9, 0, True)]
)
def test_sgd_as_on_dense_gradients(
    momentum: float, dampening: float, nesterov: bool, maximize: bool
) -> None:
    expected, buffer = START.copy(), None
    for step in range(len(ROWS)):
        grad = -dense_gradient(step) if maximize else dense_gradient(step)
        if momentum:
            buffer = grad if buffer is None else momentum * buffer + (1 - dampening) * grad
            grad = grad + momentum * buffer if nesterov else buffer
        expected -= 0.1 * grad
    options = {"momentum": momentum, "dampening": dampening, "nesterov": nesterov}
    found = after(optim.SGD, lr=0.1, maximize=maximize, **options)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_sgd_with_dense_and_sparse_gradients_in_one_group() -> None:
    table, bias = fb.ones(3, 2, requires_grad=True), fb.ones(2, requires_grad=True)
    table.grad = fb.sparse_coo_tensor([[2]], [[1.0, 2.0]], (3, 2))
    bias.grad = fb.ones(2)
    optim.SGD([table, bias], lr=0.5).step()
    assert table.tolist() == [[1, 1], [1, 1], [0.5, 0]]
    assert bias.tolist() == [0.5, 0.5]


@pytest.mark.parametrize("maximize", [False, True])
def test_adagrad_as_on_dense_gradients(maximize: bool) -> None:
    expected, total = START.copy(), np.full(START.shape, 0.1)
    for step in range(len(ROWS)):
        grad = -dense_gradient(step) if maximize else dense_gradient(step)
        total += grad**2
        expected -= 0.1 / (1 + step * 0.5) * grad / (np.sqrt(total) + 1e-10)
    options = {"lr": 0.1, "lr_decay": 0.5, "initial_accumulator_value": 0.1}
    np.testing.assert_allclose(
        after(optim.Adagrad, maximize=maximize, **options), expected, rtol=1e-12
    )


@pytest.mark.parametrize("maximize", [False, True])
def test_sparse_adam_moves_only_the_rows_of_the_gradient(maximize: bool) -> None:
    beta1, beta2, eps = 0.8, 0.95, 1e-6
    expected, mean, square = START.copy(), np.zeros(START.shape), np.zeros(START.shape)
    for step in range(len(ROWS)):
        grad, rows = dense_gradient(step), touched(step)
        grad = -grad if maximize else grad
        mean = np.where(rows, beta1 * mean + (1 - beta1) * grad, mean)
        square = np.where(rows, beta2 * square + (1 - beta2) * grad**2, square)
        rate = 0.1 * np.sqrt(1 - beta2 ** (step + 1)) / (1 - beta1 ** (step + 1))
        expected -= np.where(rows, rate * mean / (np.sqrt(square) + eps), 0)
    options = {"lr": 0.1, "betas": (beta1, beta2), "eps": eps}
    found = after(optim.SparseAdam, maximize=maximize, **options)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_the_state_of_sparse_adam_survives_saving() -> None:
    param = fb.zeros(3, 2, requires_grad=True)
    first = optim.SparseAdam([param])
    param.grad = fb.sparse_coo_tensor([[1]], [[1.0, 2.0]], (3, 2))
    first.step()
    second = optim.SparseAdam([param], lr=0.5)
    second.load_state_dict(first.state_dict())
    assert second.state[param]["step"] == 1 and type(second.state[param]["step"]) is int
    # (1 - 0.9) * g
    np.testing.assert_allclose(second.state[param]["exp_avg"].numpy()[1], [0.1, 0.2], rtol=1e-6)


def test_sparse_adam_takes_dense_parameters_and_sparse_gradients() -> None:
    param = fb.zeros(3, 2, requires_grad=True)
    param.grad = fb.ones(3, 2)
    with pytest.raises(RuntimeError, match="does not support dense gradients"):
        optim.SparseAdam([param]).step()
    with pytest.raises(ValueError, match="sparse parameters"):
        optim.SparseAdam([fb.sparse_coo_tensor((3, 2), requires_grad=True)])
    with pytest.raises(ValueError, match="complex parameters"):
        optim.SparseAdam([fb.zeros(2, dtype=fb.complex64, requires_grad=True)])
    for wrong in ({"lr": 0.0}, {"eps": 0.0}, {"betas": (1.0, 0.9)}):
        with pytest.raises(ValueError, match="Invalid"):
            optim.SparseAdam([param], **wrong)


@pytest.mark.parametrize(
    ("optimizer", "options"),
    [
        (optim.Adam, {}),
        (optim.AdamW, {}),
        (optim.RMSprop, {}),
        (optim.Rprop, {}),
        (optim.Adagrad, {"weight_decay": 0.1}),
        (optim.SGD, {"lr": 0.1, "weight_decay": 0.1}),
    ],
)
def test_others_refuse_sparse_gradients(optimizer: Any, options: dict[str, Any]) -> None:
    param = fb.zeros(3, 2, requires_grad=True)
    param.grad = fb.sparse_coo_tensor([[1]], [[1.0, 2.0]], (3, 2))
    with pytest.raises(RuntimeError, match="sparse"):
        optimizer([param], **options).step()
    assert param.tolist() == [[0, 0], [0, 0], [0, 0]]


def test_gradients_are_cleared_in_place() -> None:
    param = fb.zeros(3, 2, requires_grad=True)
    param.grad = fb.sparse_coo_tensor([[1]], [[1.0, 2.0]], (3, 2))
    optim.SGD([param], lr=0.1).zero_grad(set_to_none=False)
    assert param.grad is not None and param.grad.is_sparse and param.grad._nnz() == 0
