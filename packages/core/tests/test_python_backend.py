"""A device written in Python with memory of its own, registered by this process."""

from __future__ import annotations

import copy
import io
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import flambeau_core as fb
from flambeau_core import plugins
from flambeau_core.reference import ArrayBackend
from flambeau_core.serialization import load, save


class Buffer:
    """Memory that only the backend can reach."""

    def __init__(self, nbytes: int) -> None:
        self.bytes = np.zeros(nbytes, np.uint8)


class VaultBackend(ArrayBackend):
    """The reference kernels over buffers of their own; some kernels are left out on purpose."""

    name = "vault"
    device_type = "vault"
    host_memory = False
    missing = ("erfinv",)
    unknown = ("int16",)

    def __init__(self) -> None:
        super().__init__(np)
        self.waited: list[int] = []

    def device_count(self) -> int:
        return 2

    def allocate(self, nbytes: int, device_index: int) -> Buffer:
        return Buffer(nbytes)

    def copy_from_host(self, buffer: Buffer, offset: int, source: memoryview) -> None:
        buffer.bytes[offset : offset + source.nbytes] = np.frombuffer(source, np.uint8)

    def copy_to_host(self, buffer: Buffer, offset: int, target: memoryview) -> None:
        np.frombuffer(target, np.uint8)[:] = buffer.bytes[offset : offset + target.nbytes]

    def synchronize(self, device_index: int) -> None:
        self.waited.append(device_index)

    def view(self, buffer: Buffer, offset: int, shape: Any, strides: Any, dtype: str) -> Any:
        array_dtype = {"bfloat16": "uint16"}.get(dtype, dtype)
        if 0 in shape:
            return np.empty(shape, array_dtype)
        return np.ndarray(shape, array_dtype, buffer.bytes.data, offset, strides)

    def kernel(self, id: str, dtype: str) -> Callable[..., None] | None:
        if id in self.missing or dtype in self.unknown:
            return None
        return super().kernel(id, dtype)


@pytest.fixture(scope="module")
def backend() -> VaultBackend:
    made = VaultBackend()
    plugins.register_backend(made)
    return made


@pytest.fixture
def vault(backend: VaultBackend) -> Any:
    return fb.device("vault")


def test_values_go_there_and_back(vault: Any) -> None:
    tensor = fb.arange(6.0).reshape(2, 3).to(vault)
    assert tensor.device.type == "vault"
    assert tensor.cpu().tolist() == [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]
    assert tensor[1, 2].item() == 5.0


def test_factories_and_indices(vault: Any) -> None:
    assert fb.ones(2, device="vault:1").device.index == 1
    assert fb.zeros(2, device=vault).tolist() == [0.0, 0.0]


def test_a_device_beyond_the_last_is_refused(vault: Any) -> None:
    with pytest.raises(RuntimeError, match="invalid device ordinal: no device 'vault:2'"):
        fb.ones(2, device="vault:2")


def test_views_share_the_buffer(vault: Any) -> None:
    tensor = fb.zeros(2, 3, device=vault)
    tensor.t()[2, 1] = 7.0
    tensor[0, 1:].fill_(1.0)
    assert tensor.tolist() == [[0.0, 1.0, 1.0], [0.0, 0.0, 7.0]]


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "int64", "bool"])
def test_dtypes(vault: Any, dtype: str) -> None:
    tensor = fb.tensor([0, 1, 1]).to(getattr(fb, dtype)).to(vault)
    assert (tensor + tensor).cpu().tolist() == (tensor.cpu() + tensor.cpu()).tolist()


def test_numbers_mix_with_tensors(vault: Any) -> None:
    assert (1 + 2 * fb.ones(2, device=vault)).tolist() == [3.0, 3.0]


def test_gradients_stay_on_the_device(vault: Any) -> None:
    x = fb.arange(3.0).to(vault).requires_grad_()
    (x * x).sum().backward()
    assert x.grad.device.type == "vault"
    assert x.grad.tolist() == [0.0, 2.0, 4.0]


def test_a_small_net_learns(vault: Any) -> None:
    fb.manual_seed(0)
    inputs = fb.randn(64, 2).to(vault)
    targets = inputs @ fb.tensor([[2.0], [-1.0]]).to(vault) + 0.5
    weight = fb.zeros(2, 1, device=vault, requires_grad=True)
    bias = fb.zeros(1, device=vault, requires_grad=True)
    for _ in range(200):
        loss = ((inputs @ weight + bias - targets) ** 2).mean()
        loss.backward()
        with fb.no_grad():
            for parameter in (weight, bias):
                parameter -= 0.1 * parameter.grad
                parameter.grad = None
    assert loss.item() < 1e-6
    assert bias.item() == pytest.approx(0.5, abs=1e-3)


def test_the_random_stream_is_the_cpus(vault: Any) -> None:
    fb.manual_seed(3)
    here = fb.randn(5)
    fb.manual_seed(3)
    there = fb.randn(5, device=vault)
    assert there.cpu().tolist() == pytest.approx(here.tolist(), rel=1e-6)


MIXTURES = {
    "add": lambda here, there: here + there,
    "matmul": lambda here, there: here @ there.t(),
    "cat": lambda here, there: fb.cat([here, there]),
    "where": lambda here, there: fb.where(there > 0, here, here),
    "linear": lambda here, there: fb.nn_ops.linear(here, there),
    "layer_norm": lambda here, there: fb.nn_ops.layer_norm(there, (3,), here[0], here[0]),
    "addmm": lambda here, there: fb.addmm(here[:, :2], there, there.t()),
    "cross_entropy": lambda here, there: fb.nn_ops.cross_entropy(there, here[:, 0].long()),
    "mse_loss": lambda here, there: fb.nn_ops.mse_loss(here, there),
    "gather": lambda here, there: there.gather(1, here.long()),
    "mul": lambda here, there: fb.mul(here, here, out=there),
}


@pytest.mark.parametrize("op", MIXTURES)
def test_devices_do_not_mix(vault: Any, op: str) -> None:
    here = fb.ones(2, 3)
    with pytest.raises(RuntimeError, match=f"^{op}: ") as e:
        MIXTURES[op](here, here.to(vault))
    assert "Expected all tensors to be on the same device" in str(e.value)
    assert "at least two devices" in str(e.value)
    assert "vault:0" in str(e.value)
    assert "cpu" in str(e.value)


def test_errors_read_as_on_devices_with_more_kernels(vault: Any) -> None:
    with pytest.raises(RuntimeError, match=r"^linear: .* cannot be multiplied \(4x5 and 3x2\)"):
        fb.nn_ops.linear(fb.ones(4, 5, device=vault), fb.ones(2, 3, device=vault))


def test_printing_names_the_device(vault: Any) -> None:
    assert repr(fb.ones(2, device=vault)) == "tensor([1., 1.], device='vault:0')"


def test_a_missing_kernel_is_named(vault: Any) -> None:
    with pytest.raises(NotImplementedError, match="erfinv.*'vault'"):
        fb.erfinv(fb.zeros(2, device=vault))


def test_casts_to_a_type_that_the_device_does_not_know(vault: Any) -> None:
    tensor = fb.tensor([[1.5, -2.0], [3.0, 4.0]]).to(vault).t()
    with pytest.warns(UserWarning, match="'copy' has no kernel"):
        whole = tensor.to(fb.int16)
    assert whole.device.type == "vault"
    assert whole.tolist() == [[1, 3], [-2, 4]]
    assert whole.float().tolist() == [[1.0, 3.0], [-2.0, 4.0]]


def test_fallback_to_the_cpu_when_asked_for(vault: Any) -> None:
    plugins.set_cpu_fallback(True)
    try:
        with pytest.warns(UserWarning, match="erfinv"):
            out = fb.erfinv(fb.zeros(2, device=vault))
        assert out.device.type == "vault"
        assert out.tolist() == [0.0, 0.0]
    finally:
        plugins.set_cpu_fallback(False)


def test_files_remember_the_device(vault: Any) -> None:
    base = fb.arange(4.0).to(vault)
    stream = io.BytesIO()
    save({"all": base, "part": base[1:3]}, stream)
    stream.seek(0)
    loaded = load(stream)
    assert loaded["part"].device.type == "vault"
    assert loaded["all"].tolist() == [0.0, 1.0, 2.0, 3.0]
    loaded["all"][1] = 9.0
    assert loaded["part"].tolist() == [9.0, 2.0]
    stream.seek(0)
    part = load(stream, map_location="cpu")["part"]
    assert part.device.type == "cpu"
    assert part.tolist() == [1.0, 2.0]


def test_copies_and_pickles_stay_there(vault: Any) -> None:
    tensor = fb.arange(4.0).to(vault)[1:]
    for twin in (copy.deepcopy(tensor), pickle.loads(pickle.dumps(tensor))):
        assert twin.device.type == "vault"
        assert twin.tolist() == [1.0, 2.0, 3.0]


def test_synchronize_reaches_the_backend(backend: VaultBackend, vault: Any) -> None:
    plugins.synchronize("vault", 1)
    assert backend.waited[-1] == 1


def test_errors_of_kernels_reach_the_user(vault: Any) -> None:
    with pytest.raises(IndexError, match="index 5 is out of bounds"):
        fb.ones(3, device=vault)[fb.tensor([5]).to(vault)]


def test_memory_in_use_keeps_its_backend(backend: VaultBackend, vault: Any) -> None:
    class OtherVault(VaultBackend):
        name = "other vault"

    held = fb.ones(3).to(vault)
    with pytest.raises(RuntimeError, match="blocks of memory of backend 'vault' are in use"):
        fb._C.install_backend("vault", "other vault", OtherVault())
    assert held.tolist() == [1, 1, 1]


def test_attributes_name_the_device_type(vault: Any) -> None:
    held = fb.ones(2).to(vault)
    assert not (held.is_cpu or held.is_cuda or held.is_mps or held.is_xpu)
    assert fb.ones(2).is_cpu
