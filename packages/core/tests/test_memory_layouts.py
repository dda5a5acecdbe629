"""Factories of a given layout, copies of parts, and small questions about tensors."""

from __future__ import annotations

import pytest

import flambeau_core as fb


def test_empty_permuted() -> None:
    x = fb.empty_permuted((2, 3, 4), (1, 2, 0), dtype=fb.int16)
    assert x.shape == (2, 3, 4) and x.stride() == (1, 8, 2) and x.dtype == fb.int16
    with pytest.raises(RuntimeError, match="once"):
        fb.empty_permuted((2, 3, 4), (1, 1, 0))
    with pytest.raises(RuntimeError, match="3 dimensions"):
        fb.empty_permuted((2, 3, 4), (1, 0))


def test_new_empty_strided() -> None:
    x = fb.zeros(1, dtype=fb.float64).new_empty_strided((2, 3), (1, 2))
    assert x.stride() == (1, 2) and x.dtype == fb.float64
    assert x.new_empty_strided((1,), (1,), dtype=fb.int8).dtype == fb.int8


def test_scattering_keeps_the_layout() -> None:
    x = fb.arange(12.0).reshape(3, 4).t()
    result = x[1:].as_strided_scatter(fb.zeros(2, 2), (2, 2), (4, 1))
    assert result.tolist() == [[0, 0, 9], [0, 0, 10], [3, 7, 11]]
    assert result.stride() == x[1:].stride() and x[1, 0] == 1
    with pytest.raises(RuntimeError, match=r"\(2, 2\).*\(2, 3\)"):
        x.as_strided_scatter(fb.zeros(2, 3), (2, 2), (4, 1))
    with pytest.raises(RuntimeError, match="out of bounds"):
        x.as_strided_scatter(fb.zeros(2, 2), (2, 2), (200, 200))


def test_copies_share_no_memory() -> None:
    x = fb.zeros(2, 3)
    for part in fb.unbind_copy(x) + fb.split_copy(x, 2, 1) + x.unsafe_split(1) + x.unsafe_chunk(2):
        part.fill_(1)
    fb.view_copy(x, (6,)).fill_(1)
    assert not x.any()
    parts = (fb.empty(1, 3), fb.empty(1, 3))
    fb.split_with_sizes_copy(fb.ones(2, 3), (1, 1), out=parts)
    assert parts[1].tolist() == [[1, 1, 1]]
    with pytest.raises(RuntimeError, match="narrow_copy"):
        fb.narrow_copy(x, 3, 0, 1)


def test_unsafe_parts_may_be_written_under_recording() -> None:
    x = fb.ones(4, requires_grad=True)
    first, second = x.unsafe_split_with_sizes((1, 3))
    first.mul_(2)
    (first.sum() + second.sum()).backward()
    assert x.grad is not None and x.grad.tolist() == [2, 1, 1, 1]


def test_sum_to_size_refuses_what_would_not_expand() -> None:
    for size in ((5,), (1, 2, 3)):
        with pytest.raises(RuntimeError, match=r"sum_to_size.*\(2, 3\)"):
            fb.zeros(2, 3).sum_to_size(size)


def test_functions_of_methods() -> None:
    x = fb.zeros(2)
    assert fb.resize_as_(x, fb.zeros(3, 4)).shape == x.shape == (3, 4)
    assert fb.is_same_size(x, fb.zeros(3, 4)) and not fb.is_same_size(x, fb.zeros(4, 3))
    assert fb.is_signed(x) and not fb.is_signed(x.to(fb.uint8))
    assert not fb.is_neg(x) and not fb.is_inference(x) and fb.get_device(x) == -1
    assert x.is_set_to(x.view(3, 4)) and not x.is_set_to(x.clone()) and not x.is_set_to(x.view(12))
    assert fb.tensor([1j]).is_nonzero() and not fb.is_nonzero(fb.tensor(0))
    for several in (fb.zeros(2), fb.empty(0)):
        with pytest.raises(RuntimeError, match="ambiguous"):
            several.is_nonzero()


def test_in_place_forms_that_differ_from_their_ops() -> None:
    # addbmm_ takes on the result's shape.
    weight = fb.ones(1, requires_grad=True)
    x = weight * 1
    x.addbmm_(fb.ones(2, 5, 3), fb.ones(2, 3, 4))
    assert x.shape == (5, 4) and x[0, 0] == 7
    x.sum().backward()
    assert weight.grad is not None and weight.grad.tolist() == [20]
    # float_power_ needs the result's dtype.
    y = fb.tensor([2.0, 3.0], dtype=fb.float64)
    assert y.float_power_(2).tolist() == [4, 9]
    for dtype in (fb.float32, fb.complex64, fb.bool):
        with pytest.raises(RuntimeError, match="float_power_"):
            fb.ones(2, dtype=dtype).float_power_(2)
    # Where nothing is written, elements may share their memory.
    whole = fb.ones(1, dtype=fb.int32).expand(3)
    assert whole.nan_to_num_().tolist() == [1, 1, 1]
    assert fb.ones(1).expand(3).conj_physical_().tolist() == [1, 1, 1]
    with pytest.raises(RuntimeError, match="single memory location"):
        fb.ones(1).expand(3).nan_to_num_()


def test_out_of_the_result_dtype_only() -> None:
    x = fb.ones(2, 2)
    with pytest.raises(RuntimeError, match="aminmax.*Float.*Double"):
        fb.aminmax(x, dim=0, out=(fb.empty(2), fb.empty(2, dtype=fb.float64)))


def test_absurd_sizes_fail_at_once() -> None:
    with pytest.raises(RuntimeError, match="sections"):
        fb.tensor_split(fb.zeros(3), 10**12)
    with pytest.raises((RuntimeError, MemoryError)):
        fb.vander(fb.zeros(3), 10**16)


def test_next_number_has_the_slope_of_its_start() -> None:
    x = fb.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = fb.tensor([2.0, 2.0, 1.0], requires_grad=True)
    fb.nextafter(x, y).sum().backward()
    assert x.grad is not None and x.grad.tolist() == [1, 0, 1]
    assert y.grad is not None and y.grad.tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda x: x.sum(4), IndexError),
        (lambda x: x.view(7), RuntimeError),
        (lambda x: x.softmax(3), IndexError),
        (lambda x: x.unflatten(1, (2, 2)), RuntimeError),
        (lambda x: fb.nn_ops.cross_entropy(x, fb.tensor([1, 5])), IndexError),
        (lambda x: fb.nn_ops.nll_loss(x, fb.tensor([1, 5])), IndexError),
        (lambda x: x.diff(dim=5), IndexError),
    ],
)
def test_refused_arguments_tell_the_shape(call: object, error: type[Exception]) -> None:
    with pytest.raises(error, match=r"[\[(]2, 3[\])]"):
        call(fb.zeros(2, 3))  # type: ignore[operator]
