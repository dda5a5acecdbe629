"""Kernels of two backends on the same tensors, compositions, and what no backend can do."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

import flambeau_core as fb
from flambeau_core import nn_ops, plugins


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    """Leaves the backend in use as it was."""
    fb.zeros(1)
    before = plugins.current_backend("cpu")
    yield
    if plugins.current_backend("cpu") != before:
        plugins.set_backend("cpu", before)


def other_backend() -> str | None:
    """A second backend for the cpu, where one is installed."""
    for name in ("reference", "cpu"):
        if name != plugins.current_backend("cpu"):
            try:
                with plugins.use_backend("cpu", name):
                    return name
            except RuntimeError:
                continue
    return None


def test_the_environment_chooses() -> None:
    fb.zeros(1)
    for choice in filter(None, os.environ.get("FLAMBEAU_BACKEND", "").split(",")):
        device_type, _, name = choice.partition("=")
        if device_type == "cpu" and name:
            assert plugins.current_backend("cpu") == name


def test_switching_in_the_middle() -> None:
    other = other_backend()
    if other is None:
        pytest.skip("only one backend serves the cpu here")
    x = fb.arange(1.0, 7.0, requires_grad=True)
    y = (x.reshape(2, 3) * 2).exp()
    with plugins.use_backend("cpu", other):
        assert plugins.current_backend("cpu") == other
        z = y.log() @ fb.ones(3, 2)
        x.data[0] = 1.0  # the same memory
    total = z.sum()
    with plugins.use_backend("cpu", other):
        total.backward()
    assert [round(v, 4) for row in z.tolist() for v in row] == [12.0, 12.0, 30.0, 30.0]
    assert x.grad.tolist() == pytest.approx([4.0] * 6, rel=1e-5)
    assert plugins.current_backend("cpu") != other


def test_the_same_random_numbers_on_each() -> None:
    other = other_backend()
    if other is None:
        pytest.skip("only one backend serves the cpu here")

    def draws() -> list[fb.Tensor]:
        fb.manual_seed(11)
        return [
            fb.rand(1000),
            fb.rand(101, dtype=fb.float64),
            fb.randn(1000),
            fb.randint(0, 1000, (77,)),
            fb.randperm(50),
            fb.rand(33, dtype=fb.float16),
            fb.empty(40).uniform_(-2, 3),
            fb.empty(40).normal_(1, 2),
            fb.bernoulli(fb.full((64,), 0.5)),
            nn_ops.dropout(fb.ones(256), 0.3),
        ]

    here = draws()
    with plugins.use_backend("cpu", other):
        there = draws()
    for a, b in zip(here, there):
        assert fb.allclose(a.double(), b.double(), rtol=1e-6, atol=1e-6)
    assert here[0].equal(there[0]) and here[3].equal(there[3]) and here[4].equal(there[4])


def test_the_stream_does_not_depend_on_threads() -> None:
    threads = fb.get_num_threads()
    try:
        results = []
        for count in (1, 2, 4):
            fb.set_num_threads(count)
            fb.manual_seed(5)
            results.append((fb.rand(300_001), fb.randn(300_001)))
    finally:
        fb.set_num_threads(threads)
    for uniform, normal in results[1:]:
        assert uniform.equal(results[0][0]) and normal.equal(results[0][1])


def test_unknown_backends() -> None:
    with pytest.raises(RuntimeError, match="nonesuch"):
        plugins.set_backend("cpu", "nonesuch")
    with pytest.raises(RuntimeError, match="nowhere"):
        plugins.set_backend("nowhere", "reference")
    fb.zeros(1).add_(1)


def test_what_no_kernel_does_names_op_type_and_device() -> None:
    with pytest.raises(NotImplementedError, match=r"erf.*ComplexFloat.*cpu"):
        fb.tensor([1j]).erf()


def test_compositions_stand_in_for_kernels() -> None:
    """Complex softmax-like work has no kernel anywhere; the definition is used."""
    z = fb.tensor([1 + 1j, 2 - 1j])
    assert z.mean().item() == 1.5
    assert fb.addcmul(z, z, z).tolist() == (z + z * z).tolist()
    assert fb.lerp(z, z * 2, 0.5).tolist() == (z * 1.5).tolist()
