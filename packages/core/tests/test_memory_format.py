"""Memory formats are names: nothing is laid out by them, and what lies how is told truly."""

from __future__ import annotations

import pytest

import flambeau_core as fb

IMAGES = fb.arange(24.0).view(1, 2, 3, 4)
VOLUMES = fb.arange(48.0).view(1, 2, 2, 3, 4)


def as_channels_last(x: fb.Tensor) -> fb.Tensor:
    """The same values with the channels innermost in memory."""
    inner = x.movedim(1, -1).contiguous()
    return inner.movedim(-1, 1)


def test_asking_for_a_format_changes_no_value() -> None:
    assert fb.equal(IMAGES.to(memory_format=fb.channels_last), IMAGES)
    assert fb.equal(IMAGES.contiguous(memory_format=fb.channels_last), IMAGES)
    assert fb.empty(1, 2, 3, 4, memory_format=fb.channels_last).shape == (1, 2, 3, 4)


@pytest.mark.parametrize(
    ("x", "name"), [(IMAGES, "channels_last"), (VOLUMES, "channels_last_3d")], ids=["2d", "3d"]
)
def test_is_contiguous_tells_how_memory_lies(x: fb.Tensor, name: str) -> None:
    form = getattr(fb, name)
    assert x.is_contiguous() and x.is_contiguous(memory_format=fb.contiguous_format)
    assert not x.is_contiguous(memory_format=form)
    turned = as_channels_last(x)
    assert turned.is_contiguous(memory_format=form) and not turned.is_contiguous()
    assert not turned[:, :1].is_contiguous(memory_format=form)
    assert not fb.ones(2, 3).is_contiguous(memory_format=form)


def test_a_size_of_one_may_have_any_stride() -> None:
    assert fb.ones(2, 1, 3, 4).is_contiguous(memory_format=fb.channels_last)


def test_dim_order_follows_the_strides() -> None:
    assert IMAGES.dim_order() == (0, 1, 2, 3)
    assert as_channels_last(IMAGES).dim_order() == (0, 2, 3, 1)


def test_errors() -> None:
    with pytest.raises(RuntimeError, match=r"is_contiguous.*preserve_format"):
        IMAGES.is_contiguous(memory_format=fb.preserve_format)
    with pytest.raises(TypeError, match="is_contiguous"):
        IMAGES.is_contiguous(format=fb.channels_last)
