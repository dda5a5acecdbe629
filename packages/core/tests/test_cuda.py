"""The doors to CUDA and to library switches, on a machine without a CUDA backend."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import flambeau_core as fb
from flambeau_core import backends, cuda, plugins
from flambeau_core.plugins import registry


def test_questions_are_answered() -> None:
    assert cuda.is_available() is False
    assert cuda.device_count() == 0
    assert cuda.is_initialized() is False
    assert cuda.is_bf16_supported() is False
    assert cuda.memory_allocated() == 0
    assert cuda.max_memory_allocated() == 0


def test_what_needs_no_device_is_accepted() -> None:
    cuda.manual_seed(1)
    cuda.manual_seed_all(1)
    cuda.empty_cache()
    cuda.ipc_collect()
    with cuda.device(None):
        pass


@pytest.mark.parametrize(
    "call",
    [
        cuda.current_device,
        cuda.get_device_name,
        cuda.get_device_properties,
        cuda.synchronize,
        cuda.current_stream,
        cuda.Stream,
        cuda.Event,
        cuda.mem_get_info,
        cuda.init,
        lambda: cuda.set_device(0),
        lambda: fb.ones(1).cuda(),
        lambda: fb.ones(1, device="cuda"),
        lambda: fb.ones(1).to("cuda:0"),
    ],
)
@pytest.mark.parametrize("kind", [AssertionError, RuntimeError])
def test_what_needs_a_device_says_what_to_install(call: Callable[[], Any], kind: type) -> None:
    with pytest.raises(kind, match="pip install flambeau-cuda or flambeau-cupy"):
        call()


def test_the_usual_choice_of_a_device() -> None:
    device = fb.device("cuda" if cuda.is_available() else "cpu")
    assert fb.ones(1).to(device).device.type == "cpu"


class Pretend:
    """A backend of two CUDA devices in host memory, without kernels."""

    name = "pretend"
    device_type = "cuda"
    host_memory = True

    def device_count(self) -> int:
        return 2

    def synchronize(self, device_index: int) -> None:
        self.waited = device_index

    def view(self, *args: Any) -> Any:
        raise NotImplementedError

    def kernel(self, id: str, dtype: str) -> None:
        return None


def test_answers_follow_an_installed_backend(monkeypatch: pytest.MonkeyPatch) -> None:
    class Core:
        def install_backend(self, device_type: str, name: str, backend: Any) -> None:
            pass

    monkeypatch.setattr(fb, "_C", Core())
    monkeypatch.setattr(registry, "_registry", registry.Registry())
    backend = Pretend()
    plugins.register_backend(backend)
    assert cuda.is_available()
    assert not cuda.is_initialized()
    assert cuda.device_count() == 2
    assert cuda.current_device() == 0
    assert cuda.is_initialized()
    cuda.synchronize("cuda:1")
    assert backend.waited == 1
    with pytest.raises(RuntimeError, match="no device cuda:2"):
        cuda.synchronize(2)
    with pytest.raises(RuntimeError, match="does not tell the name"):
        cuda.get_device_name()


def test_switches_can_be_set() -> None:
    before = backends.cudnn.benchmark
    backends.cudnn.benchmark = True
    assert backends.cudnn.benchmark is True
    with backends.cudnn.flags(benchmark=False, deterministic=True):
        assert (backends.cudnn.benchmark, backends.cudnn.deterministic) == (False, True)
    assert backends.cudnn.benchmark is True
    backends.cudnn.benchmark = before
    backends.cuda.matmul.allow_tf32 = True
    assert backends.cuda.matmul.allow_tf32 is True


def test_libraries_tell_whether_they_are_there() -> None:
    assert backends.cudnn.is_available() is False
    assert backends.cudnn.version() is None
    assert backends.mps.is_available() is False
    assert backends.cuda.is_built() is False
    assert backends.cpu.get_cpu_capability() in ("AVX512", "AVX2", "DEFAULT")


def test_older_names_of_mixed_precision() -> None:
    with pytest.warns(UserWarning, match="not available"):
        assert not cuda.amp.GradScaler().is_enabled()
    with pytest.warns(UserWarning, match="not available"):
        region = cuda.amp.autocast()
    with region:
        assert (fb.ones(2, 2) @ fb.ones(2, 2)).dtype == fb.float32
