"""Copies and new tensors are laid out by the memory format asked for, or as what they follow."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import flambeau_core as fb

IMAGES = fb.arange(24.0).view(1, 2, 3, 4)
VOLUMES = fb.arange(48.0).view(1, 2, 2, 3, 4)


def as_channels_last(x: fb.Tensor) -> fb.Tensor:
    """The same values with the channels innermost in memory."""
    inner = x.movedim(1, -1).contiguous()
    return inner.movedim(-1, 1)


@pytest.mark.parametrize(
    "copy",
    [
        lambda x, f: x.clone(memory_format=f),
        lambda x, f: x.contiguous(memory_format=f),
        lambda x, f: x.to(memory_format=f),
        lambda x, f: x.to(fb.float64, memory_format=f),
        lambda x, f: x.double(memory_format=f),
        lambda x, f: x.cpu(memory_format=f),
    ],
    ids=["clone", "contiguous", "to", "to dtype", "double", "cpu"],
)
def test_copies_lie_as_asked_for(copy: Callable[..., fb.Tensor]) -> None:
    y = copy(IMAGES, fb.channels_last)
    assert y.stride() == (24, 1, 8, 2) and fb.equal(y, IMAGES.to(y.dtype))
    z = copy(VOLUMES, fb.channels_last_3d)
    assert z.stride() == (48, 1, 24, 8, 2) and fb.equal(z, VOLUMES.to(z.dtype))
    assert copy(y, fb.contiguous_format).stride() == (24, 12, 4, 1)


NEW = [
    lambda x, **k: fb.empty_like(x, **k),
    lambda x, **k: fb.zeros_like(x, **k),
    lambda x, **k: fb.ones_like(x, **k),
    lambda x, **k: fb.full_like(x, 2, **k),
    lambda x, **k: fb.rand_like(x, **k),
    lambda x, **k: fb.randn_like(x, **k),
    lambda x, **k: fb.randint_like(x, 5, **k),
    lambda x, **k: x.clone(**k),
    lambda x, **k: x.to(fb.float64, **k),
    lambda x, **k: x.int(**k),
]


@pytest.mark.parametrize("make", NEW)
def test_the_layout_is_kept_where_none_is_asked_for(make: Callable[..., fb.Tensor]) -> None:
    turned = IMAGES.permute(3, 0, 2, 1)
    for asked in ({}, {"memory_format": fb.preserve_format}):
        assert make(turned, **asked).stride() == (1, 24, 4, 12)
        assert make(turned[:, :, ::2], **asked).stride() == (1, 16, 4, 8)  # the gaps left out
        assert make(fb.ones(3, 1).expand(3, 2), **asked).stride() == (2, 1)
    assert make(turned, memory_format=fb.contiguous_format).stride() == (6, 6, 2, 1)
    assert make(turned, memory_format=fb.channels_last).stride() == (6, 1, 2, 1)


def test_what_lies_right_is_not_copied() -> None:
    x = IMAGES.to(memory_format=fb.channels_last)
    assert x.to(memory_format=fb.channels_last) is x
    assert x.contiguous(memory_format=fb.channels_last) is x
    assert x.to(memory_format=fb.preserve_format) is x
    flipped = fb.ones(2, 3).t()
    assert flipped.to(memory_format=fb.contiguous_format) is flipped


def test_empty_takes_a_format() -> None:
    assert fb.empty(1, 2, 3, 4, memory_format=fb.channels_last).stride() == (24, 1, 8, 2)


def test_filled_and_gradient_values() -> None:
    x = IMAGES.permute(3, 0, 2, 1).requires_grad_()
    assert fb.full_like(x, 3).tolist() == [[[[3.0] * 2] * 3]] * 4
    (x.clone(memory_format=fb.channels_last) * x.detach()).sum().backward()
    assert x.grad is not None and fb.equal(x.grad, x.detach())
    assert fb.zeros_like(x, requires_grad=True).is_leaf


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
    for call in (IMAGES[0].clone, IMAGES[0].contiguous, IMAGES[0].to):
        with pytest.raises(RuntimeError, match=r"required rank 4 .*channels_last"):
            call(memory_format=fb.channels_last)
    with pytest.raises(RuntimeError, match="required rank 5"):
        fb.empty(2, 3, memory_format=fb.channels_last_3d)
    with pytest.raises(RuntimeError, match="preserve"):
        fb.empty(2, 3, memory_format=fb.preserve_format)
    with pytest.raises(RuntimeError, match="preserve memory format is unsupported"):
        fb.ones(2, 3).t().contiguous(memory_format=fb.preserve_format)
    with pytest.raises(TypeError, match="memory_format"):
        IMAGES.clone(memory_format="channels_last")
