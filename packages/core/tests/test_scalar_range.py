"""Numbers that a dtype cannot hold are refused where tensors are filled with them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import flambeau_core as fb

MASK = fb.tensor([True, False])
FILLS: dict[str, Callable[[fb.Tensor, object], fb.Tensor]] = {
    "fill_": lambda x, v: x.fill_(v),
    "full": lambda x, v: fb.full((2,), v, dtype=x.dtype),
    "full_like": lambda x, v: fb.full_like(x, v),
    "new_full": lambda x, v: x.new_full((2,), v),
    "masked_fill": lambda x, v: x.masked_fill(MASK, v),
    "index_fill": lambda x, v: x.index_fill(0, fb.tensor([0]), v),
}


def assign(x: fb.Tensor, v: object) -> fb.Tensor:
    x[0] = v
    return x


FILLS["assignment"] = assign


@pytest.mark.parametrize("fill", FILLS.values(), ids=FILLS)
@pytest.mark.parametrize(
    ("dtype", "value"),
    [
        ("uint8", 256),
        ("uint8", -256),
        ("int8", 128),
        ("int16", -32769),
        ("int32", 2**31),
        ("int32", 1e10),
        ("int64", float("nan")),
        ("float16", 1e6),
        ("bfloat16", 3.4e38),
        ("float32", 1e300),
        ("float32", 1j),
    ],
)
def test_refused(fill: Callable[..., fb.Tensor], dtype: str, value: object) -> None:
    with pytest.raises(RuntimeError, match="without overflow"):
        fill(fb.zeros(2, dtype=getattr(fb, dtype)), value)


@pytest.mark.parametrize("fill", FILLS.values(), ids=FILLS)
@pytest.mark.parametrize(
    ("dtype", "value", "stored"),
    [
        ("uint8", 255, 255),
        ("uint8", -1, 255),
        ("int8", -128, -128),
        ("int32", 2.9, 2),
        ("float16", 65504.0, 65504.0),
        ("float16", float("-inf"), float("-inf")),
        ("float32", 2 + 0j, 2.0),
        ("bool", 1j, True),
        ("bool", 0, False),
    ],
)
def test_held(fill: Callable[..., fb.Tensor], dtype: str, value: object, stored: object) -> None:
    assert fill(fb.zeros(2, dtype=getattr(fb, dtype)), value).tolist()[0] == stored
