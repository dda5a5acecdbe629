"""vmap: what is mapped, what is written, what is refused, and that nothing stays behind."""

from __future__ import annotations

import copy
import gc
import pickle
import threading
import weakref
from collections.abc import Callable
from typing import Any

import pytest

import flambeau_core as fb
from flambeau_core import func
from flambeau_core.func import grad, jvp, vmap


def ramp(*shape: int, dtype: Any = fb.float64) -> Any:
    n = 1
    for s in shape:
        n *= s
    return (fb.arange(n, dtype=dtype) / 7 + 0.1).reshape(shape)


def looped(function: Callable[..., Any], *batches: Any) -> Any:
    return fb.stack([function(*(b[i].clone() for b in batches)) for i in range(len(batches[0]))])


def test_keyword_arguments_are_shared() -> None:
    y = vmap(lambda x, scale: x * scale)(ramp(2, 3), scale=ramp(3))
    assert fb.equal(y, ramp(2, 3) * ramp(3))


def test_dimensions_in_and_out() -> None:
    x = ramp(3, 5)
    y, total = vmap(lambda c: (c * 2, c.sum()), in_dims=1, out_dims=(-1, 0))(x)
    assert fb.equal(y, x * 2) and fb.allclose(total, x.sum(0))
    nested = vmap(lambda d, k: d["a"] * k, in_dims=({"a": 0, "b": None}, None))
    assert fb.equal(nested({"a": x, "b": 3}, 2.0), x * 2)
    assert fb.equal(vmap(lambda c: c, in_dims=1, out_dims=1, chunk_size=2)(x), x)


def test_examples_without_dimensions_promote_like_any_other() -> None:
    x = ramp(3, dtype=fb.float32)
    wide = fb.tensor(2.0, dtype=fb.float64)
    assert vmap(lambda e: e * wide)(x).dtype is fb.float64  # two tensors without dimensions
    assert vmap(lambda e: e * wide)(ramp(3, 2, dtype=fb.float32)).dtype is fb.float32
    half = fb.ones(2, dtype=fb.float16)
    assert vmap(lambda e: e * half)(x).dtype is fb.float16


INDICES = {
    "int": 1,
    "slice": slice(0, 2),
    "step": slice(0, None, 2),
    "ellipsis": (..., 0),
    "none": None,
    "pair": (0, 1),
    "list": [0, 2],
    "tensor": fb.tensor([2, 0]),
    "mixed": (slice(None), fb.tensor([1, 0])),
    "apart": (fb.tensor([0, 1]), None, fb.tensor([1, 0])),
    "mask": fb.tensor([True, False, True]),
    "true": True,
    "false": False,
    "empty": [],
}


@pytest.mark.parametrize("index", INDICES.values(), ids=INDICES.keys())
def test_writing_at_an_index(index: Any) -> None:
    def function(x: Any) -> Any:
        y = x * 2
        y[index] = x[index] * 3
        y[index] += 1.5
        y[index] *= x.sum()
        return y * x

    x, v = ramp(2, 3, 2), ramp(2, 3, 2).cos()
    assert fb.allclose(vmap(function)(x), looped(function, x))

    def slope(e: Any) -> Any:
        return grad(lambda z: function(z).sum())(e)

    def pushed(e: Any, t: Any) -> Any:
        return jvp(function, (e,), (t,))[1]

    # Reverse and forward mode alone, by autograd on each example.
    expected = []
    for e in x:
        leaf = e.clone().requires_grad_()
        expected.append(fb.autograd.grad(function(leaf).sum(), leaf)[0])
    assert fb.allclose(vmap(slope)(x), fb.stack(expected))
    matrix = func.jacrev(function)(x[0])
    assert fb.allclose(func.jacfwd(function)(x[0]), matrix)
    assert fb.allclose(pushed(x[0], v[0]), (matrix * v[0]).sum((-1, -2)))
    assert fb.allclose(vmap(pushed)(x, v), looped(pushed, x, v))


def test_writing_into_a_tensor_that_all_share_is_refused() -> None:
    shared = fb.zeros(3)
    with pytest.raises(RuntimeError, match=r"add_ .*\[3\]"):
        vmap(lambda x: shared.add_(x))(fb.ones(2, 3))
    assert fb.equal(shared, fb.zeros(3))


def test_as_strided_counts_from_each_example() -> None:
    x = ramp(2, 3, 4)
    y = vmap(lambda e: e.as_strided((2, 2), (4, 1), 5))(x)
    assert fb.equal(y, x[:, 1:3, 1:3])


def test_variance_over_a_dimension() -> None:
    # The position means `dim`: an int is no bool.
    x = ramp(3, 2)
    assert x.var(0).shape == (2,)
    assert fb.allclose(
        vmap(lambda e: e.var(0))(ramp(2, 3, 2)), looped(lambda e: e.var(0), ramp(2, 3, 2))
    )
    with pytest.raises(TypeError, match="keepdim"):
        x.sum(0, keepdim=1)


# ---- random numbers ---------------------------------------------------------------


DRAWN = {
    "rand": lambda x: fb.rand(50),
    "randn_like": fb.randn_like,
    "bernoulli": lambda x: fb.bernoulli(fb.full((50,), 0.5)),
    "normal_": lambda x: x.clone().normal_(),
    "uniform_": lambda x: x.clone().uniform_(),
    "rrelu": lambda x: fb.rrelu(-x, training=True),
    "randperm": lambda x: fb.randperm(50),
}


@pytest.mark.parametrize("name", DRAWN)
def test_randomness(name: str) -> None:
    draw, x = DRAWN[name], fb.ones(3, 50)
    a, b, c = vmap(draw, randomness="different")(x)
    assert not fb.equal(a, b) and not fb.equal(b, c)
    a, b, c = vmap(draw, randomness="same")(x)
    assert fb.equal(a, b) and fb.equal(b, c)
    a, _, c = vmap(draw, randomness="same", chunk_size=2)(x)
    assert fb.equal(a, c)
    with pytest.raises(RuntimeError, match="randomness"):
        vmap(draw)(x)


def test_the_same_numbers_cannot_come_from_different_weights() -> None:
    with pytest.raises(RuntimeError, match="multinomial"):
        vmap(lambda w: fb.multinomial(w, 2), randomness="same")(fb.ones(2, 5))


# ---- ways past it -----------------------------------------------------------------


VALUES = {
    "item": lambda x: x[0].item(),
    "bool": lambda x: bool(x[0] > 1),
    "tolist": lambda x: x.tolist(),
    "numpy": lambda x: x.numpy(),
    "in": lambda x: 1.0 in x,
    "max": lambda x: max(x[0], x[1]),
    "format": lambda x: f"{x[0]:.2f}",
    "data_ptr": lambda x: x.data_ptr(),
    "storage": lambda x: x.untyped_storage(),
    "pickle": lambda x: pickle.dumps(x),
    "dlpack": lambda x: x.__dlpack__(),
    "full": lambda x: fb.full((2,), x[0]),
    "arange": lambda x: fb.arange(x[0]),
    "as_subclass": lambda x: x.as_subclass(fb.Tensor),
    "make_subclass": lambda x: fb.Tensor._make_subclass(fb.Tensor, x),
    "Tensor": lambda x: fb.Tensor(x),
    "set_": lambda x: x.set_(fb.zeros(2)),
    "resize_": lambda x: x.clone().resize_(3),
    "data": lambda x: setattr(x, "data", fb.zeros(2)),
    "grad": lambda x: setattr(fb.zeros(2, requires_grad=True), "grad", x),
    "out": lambda x: fb.add(x, 1, out=fb.empty(2)),
    "out batched": lambda x: fb.add(fb.ones(2), 1, out=x),
    "foreach": lambda x: fb._foreach_mul_([fb.ones(2)], [x]),
    "backward": lambda x: fb.autograd.backward(x.sum()),
    "nonzero": fb.nonzero,
    "mask": lambda x: x[x > 1],
}


@pytest.mark.parametrize("name", VALUES)
def test_no_way_to_one_example_alone(name: str) -> None:
    def function(x: Any) -> Any:
        with pytest.raises(RuntimeError):
            VALUES[name](x)
        return x

    x = fb.tensor([[1.0, 2.0], [3.0, 4.0]])
    assert fb.equal(vmap(function)(x.clone()), x)


def test_answers_in_python_must_be_one() -> None:
    ones = fb.ones(2)
    assert fb.equal(vmap(lambda x: x * fb.equal(x, ones))(fb.ones(3, 2)), fb.ones(3, 2))
    with pytest.raises(RuntimeError, match="differ"):
        vmap(lambda x: x * fb.equal(x, ones))(fb.stack([ones, ones * 2]))


def test_copies_stay_whole() -> None:
    x = ramp(3, 2)
    assert fb.equal(vmap(copy.deepcopy)(x), x)
    assert fb.equal(vmap(copy.copy)(x), x)
    assert fb.equal(vmap(lambda e: fb.tensor([e[0], e[1]]))(x), x)
    assert fb.equal(vmap(lambda e: fb.stack(list(e)))(x), x)


def test_a_tensor_kept_from_it_cannot_be_used() -> None:
    kept: list[Any] = []
    vmap(lambda x: (kept.append(x), x)[1])(ramp(2, 3))
    with pytest.raises(RuntimeError, match="kept"):
        kept[0] + 1


def test_hooks_see_whole_batches() -> None:
    seen: list[Any] = []

    def function(x: Any) -> Any:
        y = x * 2
        y.register_hook(lambda g: (seen.append(g.shape), g * 10)[1])
        return y.sum()

    x = ramp(2, 3)
    assert fb.equal(vmap(grad(function))(x), fb.full_like(x, 20))
    assert seen == [(3,)]


# ---- afterwards -------------------------------------------------------------------


def test_nothing_stays_alive() -> None:
    gc.collect()
    values: list[Any] = []

    def function(x: Any) -> Any:
        y = x.sin()
        values.extend(map(weakref.ref, (x, y)))
        return grad(lambda z: (z * y).sum())(x)

    result = vmap(function)(ramp(2, 3))
    gc.collect()
    assert [v() for v in values] == [None] * len(values)
    assert not result.requires_grad


def test_an_error_inside_leaves_the_state_clean() -> None:
    x = ramp(2, 3)
    for transform in (
        lambda f: vmap(f)(x),
        lambda f: vmap(grad(f))(x),
        lambda f: jvp(f, (x,), (x,)),
        lambda f: func.hessian(f)(x),
    ):
        with pytest.raises(ZeroDivisionError):
            transform(lambda e: e.sum() * (1 // 0))
        assert fb._C.attend(0, 0) == 0
        assert fb.is_grad_enabled()
        assert type(x + 1) is fb.Tensor and not x.requires_grad
    assert fb.rand(2).shape == (2,)


def test_threads_do_not_see_each_others_levels() -> None:
    results: list[Any] = []

    def elsewhere() -> None:
        results.append(fb.rand(3).shape)
        results.append(vmap(lambda e: e * 2)(ramp(2, 3)))

    def function(x: Any) -> Any:
        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
        return x

    vmap(function)(ramp(2, 3))
    assert results[0] == (3,) and fb.equal(results[1], ramp(2, 3) * 2)


def test_wrong_use_is_named() -> None:
    with pytest.raises(ValueError, match="same size"):
        vmap(lambda a, b: a)(ramp(2, 3), ramp(3))
    with pytest.raises(ValueError, match="out of range"):
        vmap(lambda a: a, in_dims=2)(ramp(2, 3))
    with pytest.raises(ValueError, match="at least one"):
        vmap(lambda a: a, in_dims=(None,))(ramp(2))
    with pytest.raises(ValueError, match="must return tensors"):
        vmap(lambda a: 3)(ramp(2))
    with pytest.raises(RuntimeError, match="randomness"):
        vmap(lambda a: a, randomness="some")
