"""complex32: memory, casts and views; kernels see its float16 parts only."""

from __future__ import annotations

import copy
import io
import pickle

import numpy as np
import pytest

import flambeau_core as fb

VALUES = [1 + 2j, 3.5 - 1j, -0.25j]


def numbers() -> fb.Tensor:
    return fb.tensor(VALUES, dtype=fb.complex32)


def test_type() -> None:
    assert fb.complex32 is fb.chalf and fb.complex32.itemsize == 4 and fb.complex32.is_complex
    assert fb.complex32.to_real() == fb.float16 and fb.float16.to_complex() == fb.complex32
    assert numbers().tolist() == VALUES and numbers()[1].item() == 3.5 - 1j
    assert "complex32" in repr(numbers()) and fb.finfo(fb.complex32).max == 65504


@pytest.mark.parametrize(
    ("other", "both"),
    [
        (fb.bool, fb.complex32),
        (fb.int64, fb.complex32),
        (fb.float16, fb.complex32),
        (fb.bfloat16, fb.complex64),
        (fb.float32, fb.complex64),
        (fb.float64, fb.complex128),
        (fb.complex64, fb.complex64),
        (fb.complex128, fb.complex128),
    ],
)
def test_promotion(other: fb.dtype, both: fb.dtype) -> None:
    assert fb.promote_types(fb.complex32, other) == fb.promote_types(other, fb.complex32) == both


@pytest.mark.parametrize("name", ["complex64", "complex128"])
def test_casts(name: str) -> None:
    wide = numbers().to(getattr(fb, name))
    assert wide.dtype == getattr(fb, name) and wide.tolist() == VALUES
    assert wide.chalf().tolist() == VALUES
    # Rounded to the nearest float16.
    assert fb.tensor([1 + 1e-4j, 1e-9]).chalf().tolist()[0].imag == float(np.float16(1e-4))
    assert fb.tensor([1, 2]).chalf().tolist() == [1, 2]


def test_layouts() -> None:
    x = fb.stack([numbers(), numbers().clone()]).t()
    assert x.contiguous().tolist() == [[v, v] for v in VALUES]
    assert x[1:, 0].tolist() == VALUES[1:] and fb.cat([x, x]).shape == (6, 2)
    y = fb.zeros(2, 3, dtype=fb.complex32)
    y[1] = numbers()
    y[0, 0] = 2j
    assert y.tolist() == [[2j, 0, 0], VALUES]
    assert y.fill_(1 - 1j).tolist() == [[1 - 1j] * 3] * 2
    assert copy.deepcopy(x).tolist() == x.tolist()
    assert pickle.loads(pickle.dumps(fb.complex32)) is fb.complex32


def test_parts() -> None:
    parts = fb.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=fb.float16)
    z = fb.view_as_complex(parts)
    assert z.dtype == fb.complex32 and z.tolist() == [1 + 2j, 3 + 4j]
    z.imag.fill_(7)
    assert parts.tolist() == [[1, 7], [3, 7]]
    assert fb.view_as_real(z).dtype == z.real.dtype == fb.float16
    half = fb.tensor([1.0, 2.0], dtype=fb.float16)
    assert fb.complex(half, half).tolist() == [1 + 1j, 2 + 2j]


def test_gradient_of_a_cast() -> None:
    x = fb.tensor([1.0, 2.0], requires_grad=True)
    (x.chalf().to(fb.complex64) * fb.tensor([1 + 1j, 2j])).real.sum().backward()
    assert x.grad is not None and x.grad.tolist() == [1, 0]


def test_what_kernels_would_have_to_do() -> None:
    z = numbers()
    for op in (lambda: z + z, lambda: z.sum(), lambda: z.exp()):
        with pytest.raises(NotImplementedError, match="ComplexHalf"):
            op()
    with pytest.raises(TypeError, match="ComplexHalf"):
        z.numpy()


def test_files() -> None:
    stream = io.BytesIO()
    fb.save(numbers(), stream)
    stream.seek(0)
    loaded = fb.load(stream)
    assert loaded.dtype == fb.complex32 and loaded.tolist() == VALUES
