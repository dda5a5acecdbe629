"""The forms of an op that write: name_() and out=, aliasing, resizing, refusals."""

from __future__ import annotations

from typing import Any

import pytest

import flambeau_core as fb

UNARY = "neg abs sqrt exp log sin floor sigmoid tanh reciprocal square rsqrt relu erf trunc".split()
BINARY = "add sub mul div pow remainder fmod atan2 maximum".split()


def sample() -> fb.Tensor:
    return fb.tensor([[0.5, 1.5, 2.5], [3.5, 4.5, 5.5]], dtype=fb.float64)


@pytest.mark.parametrize("name", UNARY)
def test_unary_forms(name: str) -> None:
    x = sample()
    function = getattr(fb, name)
    expected = function(x)
    assert getattr(x, name)().equal(expected)
    if name != "relu":
        out = fb.empty(2, 3, dtype=fb.float64)
        assert function(x, out=out) is out and out.equal(expected)
        transposed = fb.empty(3, 2, dtype=fb.float64).t()
        assert function(x, out=transposed) is transposed and transposed.equal(expected)
        assert function(x, out=x) is x and x.equal(expected)
    y = sample()
    assert getattr(y, name + "_")() is y and y.equal(expected)
    z = sample().t()
    assert getattr(z, name + "_")() is z and z.equal(expected.t())


@pytest.mark.parametrize("name", BINARY)
def test_binary_forms(name: str) -> None:
    x, y = sample(), sample().flip(0)
    function = getattr(fb, name)
    expected = function(x, y)
    for out in (fb.empty(2, 3, dtype=fb.float64), fb.empty(6, dtype=fb.float64)[:0]):
        assert function(x, y, out=out) is out and out.equal(expected)
    narrow = fb.empty(2, 3)
    assert function(x, y, out=narrow) is narrow and narrow.equal(expected.float())
    second = y.clone()
    assert function(x, second, out=second).equal(expected)
    if name != "maximum":
        assert getattr(x, name + "_")(y) is x and x.equal(expected)


def test_overlapping_operands() -> None:
    x = fb.arange(6.0)
    fb.add(x[:-1], x[1:], out=x[1:])
    assert x.tolist() == [0, 1, 3, 5, 7, 9]
    y = fb.arange(4.0).reshape(2, 2)
    y.copy_(y.t().clone())
    y.add_(y.t())
    assert y.tolist() == [[0, 3], [3, 6]]
    z = fb.arange(5.0)
    z[1:].mul_(z[:-1])
    assert z.tolist() == [0, 0, 2, 6, 12]


TURNED_WRITES = {
    "scatter_": lambda x, y: x.scatter_(0, fb.tensor([[0, 1], [1, 0]]), y),
    "scatter_add_": lambda x, y: x.scatter_add_(0, fb.tensor([[0, 0], [1, 1]]), y),
    "index_add_": lambda x, y: x.index_add_(0, fb.tensor([1, 0]), y),
    "index_copy_": lambda x, y: x.index_copy_(0, fb.tensor([1, 0]), y),
    "index_put_": lambda x, y: x.index_put_((fb.tensor([1, 0]),), y),
    "setitem": lambda x, y: x.__setitem__(fb.tensor([0, 1]), y),
    "cat": lambda x, y: fb.cat([y[:1], y[1:]], out=x),
}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("scatter_", [[1, 4], [2, 3]]),
        ("scatter_add_", [[2, 5], [5, 8]]),
        ("index_add_", [[3, 6], [4, 7]]),
        ("index_copy_", [[2, 4], [1, 3]]),
        ("index_put_", [[2, 4], [1, 3]]),
        ("setitem", [[1, 3], [2, 4]]),
        ("cat", [[1, 3], [2, 4]]),
    ],
)
def test_indexed_writes_of_what_shares_their_memory(name: str, expected: Any) -> None:
    x = fb.tensor([[1.0, 2.0], [3.0, 4.0]])
    TURNED_WRITES[name](x, x.t())
    assert x.tolist() == expected


def test_out_is_resized() -> None:
    x = fb.ones(2, 3)
    out = fb.empty(0)
    fb.add(x, 1, out=out)
    assert out.shape == (2, 3)
    wrong = fb.empty(5)
    with pytest.warns(UserWarning, match=r"resized.*\[5\].*\[2, 3\]"):
        fb.add(x, 1, out=wrong)
    assert wrong.shape == (2, 3) and wrong.tolist() == [[2.0] * 3] * 2


def test_out_of_several() -> None:
    x = fb.tensor([[1.0, 5.0, 3.0], [4.0, 2.0, 6.0]])
    values, places = fb.empty(2), fb.empty(2, dtype=fb.int64)
    result = fb.max(x, 1, out=(values, places))
    assert result.values is values and result[1] is places
    assert values.tolist() == [5, 6] and places.tolist() == [1, 2]
    ordered, order = fb.empty(0), fb.empty(0, dtype=fb.int64)
    fb.sort(x, out=(ordered, order))
    assert order.tolist() == [[0, 2, 1], [1, 0, 2]]


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda x: fb.add(x, 1.5, out=fb.empty(2, dtype=fb.int64)), RuntimeError, "Float.*Long"),
        (lambda x: fb.add(x, 1j, out=fb.empty(2)), RuntimeError, "Complex.*Float"),
        (lambda x: fb.add(x, x, out=fb.empty(1).expand(2)), RuntimeError, "single memory location"),
        (lambda x: fb.add(x, x, out="out"), TypeError, "out.*str"),
        (lambda x: fb.add(x, x, out=(x, x)), TypeError, "out"),
        (lambda x: fb.max(x, 0, out=x), (TypeError, RuntimeError), "out|max"),
        (lambda x: fb.add(x, x, out=fb.empty(2, requires_grad=True)), RuntimeError, "different"),
        (lambda x: fb.exp(x.clone().requires_grad_(), out=fb.empty(2)), RuntimeError, "different"),
        (lambda x: x.add_(fb.zeros(3)), RuntimeError, r"2.*3|3.*2"),
        (lambda x: x.add_(fb.zeros(2, 2)), RuntimeError, r"\[2\].*\[2, 2\]"),
        (lambda x: x.long().div_(2), RuntimeError, "Float.*Long"),
        (lambda x: x.long().exp_(), RuntimeError, "Float.*Long"),
        (lambda x: x.bool().add_(1), RuntimeError, "Long.*Bool"),
        (lambda x: x.add_(1j), RuntimeError, "Complex.*Float"),
        (lambda x: x.expand(3, 2).add_(1), RuntimeError, "single memory location"),
        (lambda x: fb.tensor([1j]).abs_(), RuntimeError, "complex"),
        (lambda x: fb.pow_(2, x), (TypeError, AttributeError), ""),
    ],
)
def test_refusals(call: Any, error: Any, words: str) -> None:
    x = fb.ones(2)
    with pytest.raises(error, match=words or None):
        call(x)
    assert x.tolist() == [1, 1]


def test_out_of_no_grad_leaves_is_written() -> None:
    out = fb.empty(2, requires_grad=True)
    with fb.no_grad():
        fb.add(fb.ones(2), 1, out=out)
    assert out.tolist() == [2, 2] and out.requires_grad


def test_writes_of_everything() -> None:
    x = fb.empty(2, 2)
    assert x.fill_(3) is x and x.zero_() is x and x.fill_(fb.tensor(2.0)).tolist() == [[2, 2]] * 2
    assert x.copy_(fb.tensor([1.0, 4.0])).tolist() == [[1, 4]] * 2
    assert x.clamp_(max=2).tolist() == [[1, 2]] * 2
    assert x.masked_fill_(x > 1, 9).tolist() == [[1, 9]] * 2
    assert x.t_().tolist() == [[1, 1], [9, 9]]
    assert x.unsqueeze_(0).shape == (1, 2, 2) and x.squeeze_(0).shape == (2, 2)
    assert x.transpose_(0, 1).tolist() == [[1, 9]] * 2
    with pytest.raises(RuntimeError, match=r"\[3\].*\[2, 2\]|\[2, 2\].*\[3\]"):
        x.copy_(fb.zeros(3))


def test_resize_and_set() -> None:
    x = fb.arange(6.0)
    assert x.resize_(2, 2) is x and x.tolist() == [[0, 1], [2, 3]]
    assert x.resize_(6).tolist() == [0, 1, 2, 3, 4, 5]
    assert x.resize_(10)[:6].tolist() == [0, 1, 2, 3, 4, 5]
    with pytest.raises(RuntimeError, match="-1"):
        x.resize_(-1)
    with pytest.raises(RuntimeError, match="overflow"):
        x.resize_(2**62)
    with pytest.raises(RuntimeError, match="require grad"):
        fb.ones(2, requires_grad=True).resize_(3)
    with pytest.raises(RuntimeError, match="not resizable"):
        fb.frombuffer(bytearray(8), dtype=fb.float32).resize_(100)
    y = fb.zeros(2)
    assert x.set_(y) is x and x.data_ptr() == y.data_ptr()


def test_augmented_operators() -> None:
    x = fb.tensor([7, 8])
    same = x
    x += 1
    x -= fb.tensor([1, 0])
    x *= 2
    x //= 3
    x %= 5
    x **= 2
    x <<= 1
    x >>= 1
    x &= 15
    x |= 1
    x ^= 2
    assert x is same and x.tolist() == [((((7 + 1 - 1) * 2 // 3) % 5) ** 2 & 15 | 1) ^ 2,
                                       ((((8 + 1) * 2 // 3) % 5) ** 2 & 15 | 1) ^ 2]  # fmt: skip
    y = fb.ones(2)
    y /= 4
    assert y.tolist() == [0.25, 0.25]
    with pytest.raises(TypeError):
        y += "text"


def test_out_that_takes_one_dtype_only() -> None:
    x = fb.tensor([[0.0, 2.0], [3.0, 0.0]])
    places = fb.empty(0, dtype=fb.int64)
    assert fb.nonzero(x, out=places) is places
    assert places.tolist() == [[0, 1], [1, 0]]
    product = fb.empty(0)
    assert fb.nn_ops.linear(x, x, out=product).tolist() == [[4.0, 0.0], [0.0, 9.0]]
    index = fb.zeros(1, 2, dtype=fb.int64)
    wide = fb.empty(0, dtype=fb.float64)
    for call in (
        lambda: fb.nonzero(x, out=fb.empty(0)),
        lambda: fb.nn_ops.linear(x, x, out=wide),
        lambda: fb.gather(x, 0, index, out=wide),
        lambda: fb.linspace(0, 1, 3, dtype=fb.float32, out=wide),
        lambda: fb.logspace(0, 1, 3, dtype=fb.float32, out=wide),
        lambda: fb.eye(2, dtype=fb.float32, out=wide),
        lambda: fb.multinomial(fb.ones(3), 2, out=wide),
    ):
        with pytest.raises(RuntimeError, match="expected out of type"):
            call()


def test_out_gives_factories_their_dtype() -> None:
    for dtype in (fb.float64, fb.int64, fb.complex64):
        assert fb.eye(1, out=fb.empty(0, dtype=dtype)).tolist() == [[1]]
        assert fb.logspace(0, 2, 3, out=fb.empty(0, dtype=dtype)).tolist() == [1, 10, 100]
        assert fb.ones(1, out=fb.empty(0, dtype=dtype)).tolist() == [1]
