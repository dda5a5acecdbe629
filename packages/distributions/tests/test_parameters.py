"""Tools for parameters: broadcasting, lazy properties, logits, triangles as vectors."""

import math

import pytest

import flambeau_core as fb
from flambeau_distributions import utils
from flambeau_distributions.lazy_property import lazy_property


def test_broadcast_all():
    a, b, c = utils.broadcast_all(1, fb.zeros(2, 1, dtype=fb.float64), fb.zeros(3))
    assert a.shape == b.shape == c.shape == (2, 3)
    assert a.dtype == fb.float64 and c.dtype == fb.float32
    (single,) = utils.broadcast_all(True)
    assert single.dtype == fb.get_default_dtype() and single.shape == ()
    with pytest.raises(ValueError, match="must be numbers or tensors, but got list"):
        utils.broadcast_all([1.0], fb.zeros(2))


def test_lazy_property():
    class Own:
        calls = 0

        @lazy_property
        def value(self):
            """Docs."""
            Own.calls += 1
            return fb.ones(2, requires_grad=True) * 2

    own = Own()
    assert "value" not in vars(own)
    with fb.no_grad():
        first = own.value
    assert first.requires_grad
    assert own.value is first and Own.calls == 1
    assert isinstance(Own.value, lazy_property) and Own.value.__doc__ == "Docs."


def test_logits(close):
    probs = fb.tensor([0.25, 0.5, 0.125], dtype=fb.float64)
    close(utils.probs_to_logits(probs), [math.log(p) for p in (0.25, 0.5, 0.125)])
    close(utils.probs_to_logits(probs, is_binary=True), [math.log(1 / 3), 0.0, math.log(1 / 7)])
    close(utils.logits_to_probs(utils.probs_to_logits(probs, True), is_binary=True), probs)
    close(utils.logits_to_probs(fb.zeros(4)), [0.25] * 4)
    edges = fb.tensor([0.0, 1.0])
    eps = fb.finfo(fb.float32).eps
    assert utils.clamp_probs(edges).tolist() == [eps, 1 - eps]
    assert utils.probs_to_logits(edges, is_binary=True).isfinite().all()


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_triangles(n):
    matrix = fb.arange(1.0, 2 * n * n + 1).reshape(2, n, n)
    for diag in range(1 - n, n):
        vector = utils.tril_matrix_to_vec(matrix, diag)
        expected = [matrix[1, i, j].item() for i in range(n) for j in range(n) if j - i <= diag]
        assert vector[1].tolist() == expected
        assert fb.equal(utils.vec_to_tril_matrix(vector, diag), matrix.tril(diag))
    for diag in (-n - 1, n):
        with pytest.raises(ValueError, match="must be in"):
            utils.tril_matrix_to_vec(matrix, diag)


def test_a_vector_that_fills_no_triangle():
    with pytest.raises(RuntimeError, match="4 entries do not fill the triangle at diagonal 0"):
        utils.vec_to_tril_matrix(fb.ones(4))


def test_triangles_have_gradients():
    vector = fb.ones(3, requires_grad=True)
    (utils.vec_to_tril_matrix(vector) * fb.tensor([[1.0, 9.0], [2.0, 3.0]])).sum().backward()
    assert vector.grad.tolist() == [1.0, 2.0, 3.0]
