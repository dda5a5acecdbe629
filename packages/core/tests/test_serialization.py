"""Saving and loading; the files under ``data/`` were written by PyTorch 2.13."""

from __future__ import annotations

import io
import os
import pickle
import pickletools
import random
import zipfile
from collections import Counter, OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import flambeau_core as fb
from flambeau_core.parameter_type import is_parameter
from flambeau_core.serialization import load, safe_globals, save

DATA = Path(__file__).parent / "data"


def saved(obj: Any) -> io.BytesIO:
    stream = io.BytesIO()
    save(obj, stream)
    stream.seek(0)
    return stream


def roundtrip(obj: Any, **options: Any) -> Any:
    return load(saved(obj), **options)


def rewritten(stream: io.BytesIO, change: Callable[[str, bytes], bytes | None]) -> io.BytesIO:
    """The archive with its records changed; None drops a record."""
    target = io.BytesIO()
    with zipfile.ZipFile(stream) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            data = change(name.partition("/")[2], old.read(name))
            if data is not None:
                new.writestr(name, data)
    target.seek(0)
    return target


def with_pickle(data: bytes) -> io.BytesIO:
    """An archive around a pickle of one's own."""
    return rewritten(saved({}), lambda record, old: data if record == "data.pkl" else old)


# -- files of PyTorch -----------------------------------------------------------------


@pytest.mark.parametrize("name", ["state_dict.pt", "legacy.pt"])
def test_reads_a_state_dict_of_pytorch(name: str) -> None:
    state = load(DATA / name)
    assert type(state) is OrderedDict
    assert list(state) == ["0.weight", "0.bias", "steps"]
    assert state["0.weight"].tolist() == [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]
    assert state["0.weight"].dtype == fb.float32
    assert state["steps"].item() == 7
    assert state["steps"].dtype == fb.int64
    assert state._metadata[""] == {"version": 1}


@pytest.mark.parametrize("name", ["shared.pt", "shared_legacy.pt"])
def test_tensors_of_pytorch_that_share_memory_still_do(name: str) -> None:
    loaded = load(DATA / name)
    assert loaded["transposed"].tolist() == loaded["base"].t().tolist()
    assert loaded["transposed"].stride() == (1, 4)
    assert loaded["step"].tolist() == [[0.0, 2.0], [4.0, 6.0], [8.0, 10.0]]
    loaded["base"][1, 2] = -1.0
    assert loaded["row"].tolist() == [4.0, 5.0, -1.0, 7.0]
    assert loaded["step"][1, 1].item() == -1.0


def test_reads_the_dtypes_of_pytorch() -> None:
    for name, tensor in load(DATA / "dtypes.pt").items():
        assert tensor.dtype == getattr(fb, name)
        assert tensor.tolist() == [0, 1, True if name == "bool" else 2]


def test_reads_a_checkpoint_of_pytorch() -> None:
    checkpoint = load(DATA / "checkpoint.pt")
    assert checkpoint["epoch"] == 3
    # the first step of Adam moves every weight by the learning rate
    assert checkpoint["model"]["weight"][0].tolist() == pytest.approx([0.9, 1.9])
    assert checkpoint["optimizer"]["param_groups"][0]["betas"] == (0.9, 0.999)
    assert checkpoint["optimizer"]["state"][0]["exp_avg"].tolist()[0] == pytest.approx([0.1, 0.1])


def test_reads_the_plain_values_of_pytorch() -> None:
    values = load(DATA / "values.pt")
    assert values["size"] == fb.Size([2, 3])
    assert values["device"] == fb.device("cpu")
    assert values["dtype"] == fb.float64
    assert (values["set"], values["bytes"], values["big"]) == ({1, 2}, b"\x00\xff", 2**100)
    assert values["complex"] == 1 + 2j
    assert values["nested"] == [1, 2.5, "text", None, True, (1, [2])]
    assert values["parameter"].requires_grad
    assert values["parameter"].tolist() == [0.0, 1.0, 2.0]
    assert values["leaf"].requires_grad
    assert values["leaf"].is_leaf
    assert tuple(values["empty"].shape) == (0, 3)
    assert values["scalar"].item() == 2.5


def test_whole_modules_are_refused_by_name() -> None:
    with pytest.raises(pickle.UnpicklingError, match=r"torch\.nn\.modules\.linear\.Linear"):
        load(DATA / "whole_module.pt")


# -- what save writes -----------------------------------------------------------------


def test_roundtrip_of_containers_and_values() -> None:
    obj = {
        "list": [1, 2.5, "x", None, True, (1, 2)],
        "ordered": OrderedDict(a=1),
        "sets": [{1, 2}, frozenset({3})],
        "bytes": [b"", b"\x00\xff", bytearray(b"ab")],
        "big": 2**100,
        "complex": 1 - 2j,
        "counter": Counter("aab"),
        "size": fb.Size([1, 2]),
        "dtypes": [fb.float32, fb.bool, fb.float32],
        "device": fb.device("cpu"),
    }
    assert roundtrip(obj) == obj


@pytest.mark.parametrize(
    "dtype",
    "bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64 complex64".split(),
)
def test_roundtrip_of_dtypes(dtype: str) -> None:
    tensor = fb.tensor([0, 1, 2]).to(getattr(fb, dtype))
    loaded = roundtrip(tensor)
    assert loaded.dtype == tensor.dtype
    assert loaded.tolist() == tensor.tolist()


def test_roundtrip_of_shapes_and_flags() -> None:
    obj = [fb.tensor(1.5), fb.empty(0, 3), fb.ones(2, 3).t(), fb.ones(2, requires_grad=True)]
    loaded = roundtrip(obj)
    assert [tuple(t.shape) for t in loaded] == [(), (0, 3), (3, 2), (2,)]
    assert [t.requires_grad for t in loaded] == [False, False, False, True]
    assert loaded[2].stride() == (1, 3)


def test_shared_memory_is_written_once_and_shared_again() -> None:
    base = fb.arange(1000.0)
    stream = saved([base, base[10:20], base.view(10, 100)])
    with zipfile.ZipFile(stream) as archive:
        assert [n for n in archive.namelist() if "/data/" in n] == ["archive/data/0"]
    stream.seek(0)
    whole, part, matrix = load(stream)
    part[0] = -1.0
    assert whole[10].item() == -1.0
    assert matrix[0, 10].item() == -1.0


def test_the_same_object_twice_is_the_same_object_again() -> None:
    tensor = fb.ones(2)
    first, second = roundtrip([tensor, tensor])
    assert first is second


def test_layout_of_the_archive() -> None:
    """What readers of the format rely on: names, no compression, aligned storages, protocol 2."""
    stream = saved({"a": fb.arange(3), "b": fb.ones(5, dtype=fb.float64)})
    with zipfile.ZipFile(stream) as archive:
        assert {info.compress_type for info in archive.infolist()} == {zipfile.ZIP_STORED}
        for info in archive.infolist():
            stream.seek(info.header_offset + 26)
            header = stream.read(4)
            lengths = int.from_bytes(header[:2], "little") + int.from_bytes(header[2:], "little")
            assert (info.header_offset + 30 + lengths) % 64 == 0
        pickled = archive.read("archive/data.pkl")
        assert archive.read("archive/version") == b"3\n"
        assert archive.read("archive/byteorder") == b"little"
    assert pickled[:2] == b"\x80\x02"
    names = {arg for op, arg, _ in pickletools.genops(pickled) if op.name == "GLOBAL"}
    assert names == {
        "torch._utils _rebuild_tensor_v2",
        "torch LongStorage",
        "torch DoubleStorage",
        "collections OrderedDict",
    }


def test_equal_objects_give_equal_files() -> None:
    assert saved({"a": fb.ones(2)}).getvalue() == saved({"a": fb.ones(2)}).getvalue()


def test_paths_and_open_files(tmp_path: Path) -> None:
    save([1], tmp_path / "a.pt")
    save([2], str(tmp_path / "b.pt"))
    assert load(tmp_path / "a.pt") == [1]
    with open(tmp_path / "b.pt", "rb") as stream:
        assert load(stream) == [2]


def test_other_objects_need_weights_only_false() -> None:
    with pytest.raises(pickle.UnpicklingError, match=r"pathlib\.\S*PosixPath|pathlib"):
        roundtrip(Path("a"))
    assert roundtrip(Path("a"), weights_only=False) == Path("a")


# -- where tensors go -----------------------------------------------------------------


def elsewhere() -> io.BytesIO:
    """A file whose tensor was on a device of another machine."""

    def move(record: str, data: bytes) -> bytes:
        return data.replace(b"X\x03\x00\x00\x00cpu", b"X\x06\x00\x00\x00cuda:7")

    return rewritten(saved(fb.ones(2)), move)


@pytest.mark.parametrize(
    "location",
    ["cpu", {"cuda:7": "cpu"}, lambda tensor, tag: tensor],
    ids=["string", "dict", "function"],
)
def test_map_location(location: Any) -> None:
    assert load(elsewhere(), map_location=location).tolist() == [1.0, 1.0]


def test_map_location_may_be_a_device() -> None:
    assert load(elsewhere(), map_location=fb.device("cpu")).device.type == "cpu"


def test_missing_device_advises_map_location() -> None:
    with pytest.raises(RuntimeError, match="'cuda:7', .* map_location='cpu'"):
        load(elsewhere())


def test_map_location_of_another_type() -> None:
    with pytest.raises(TypeError, match="map_location must be"):
        load(saved([]), map_location=3)


# -- safety ---------------------------------------------------------------------------


class Evil:
    def __init__(self, function: Any, *args: Any) -> None:
        self.call = function, args

    def __reduce__(self) -> Any:
        return self.call


@pytest.mark.parametrize(
    ("function", "args", "name"),
    [
        (os.system, ("exit 1",), "system"),
        (eval, ("1 + 1",), "eval"),
        (getattr, (int, "__subclasses__"), "getattr"),
        (__import__, ("os",), "__import__"),
    ],
)
def test_no_function_of_the_files_choice_runs(function: Any, args: Any, name: str) -> None:
    with pytest.raises(pickle.UnpicklingError, match=rf"\.{name}, which safe loading"):
        load(with_pickle(pickle.dumps(Evil(function, *args), 2)))


def test_a_known_functions_state_cannot_be_set() -> None:
    program = b"\x80\x02ctorch._utils\n_rebuild_tensor_v2\n}X\x01\x00\x00\x00aK\x01sb."
    with pytest.raises(pickle.UnpicklingError, match="sets the state of a function"):
        load(with_pickle(program))


def test_values_cannot_be_called() -> None:
    program = b"\x80\x02ctorch\nFloatStorage\n)R."
    with pytest.raises(pickle.UnpicklingError, match="calls"):
        load(with_pickle(program))


@pytest.mark.parametrize("code", [b"(icollections\nCounter\n", b"(ccollections\nCounter\no"])
def test_old_instance_instructions_are_refused(code: bytes) -> None:
    with pytest.raises(pickle.UnpicklingError, match="instruction"):
        load(with_pickle(b"\x80\x02" + code + b"."))


class Allowed:
    def __init__(self) -> None:
        self.value = 5


def test_safe_globals_allow_a_class() -> None:
    stream = saved(Allowed())
    with pytest.raises(pickle.UnpicklingError, match="Allowed"):
        load(stream)
    stream.seek(0)
    with safe_globals([Allowed]):
        assert load(stream).value == 5
    stream.seek(0)
    with pytest.raises(pickle.UnpicklingError, match="Allowed"):
        load(stream)


@pytest.mark.parametrize(
    ("shape", "stride", "offset"), [((100,), (1,), 0), ((2,), (1,), 3), ((2,), (-1,), 1)]
)
def test_views_beyond_their_storage_are_refused(shape: Any, stride: Any, offset: int) -> None:
    from flambeau_core.serialization.storage import view

    with pytest.raises(RuntimeError, match="corrupt"):
        view(fb.ones(4), offset, shape, stride)


# -- damage ---------------------------------------------------------------------------

FILES = ["state_dict.pt", "shared_legacy.pt", "values.pt"]


@pytest.mark.parametrize("name", FILES)
def test_every_cut_is_noticed(name: str) -> None:
    data = (DATA / name).read_bytes()
    for length in range(0, len(data), max(1, len(data) // 50)):
        with pytest.raises((RuntimeError, pickle.UnpicklingError, EOFError)):
            load(io.BytesIO(data[:length]))


@pytest.mark.parametrize("name", FILES)
def test_damage_never_surfaces_as_another_error(name: str) -> None:
    data = (DATA / name).read_bytes()
    dice = random.Random(0)
    for _ in range(200):
        damaged = bytearray(data)
        for _ in range(3):
            damaged[dice.randrange(len(damaged))] = dice.randrange(256)
        try:
            load(io.BytesIO(bytes(damaged)))
        except (RuntimeError, pickle.UnpicklingError):
            continue


def test_a_missing_storage_is_named() -> None:
    stream = rewritten(saved(fb.ones(2)), lambda r, data: None if r == "data/0" else data)
    with pytest.raises(RuntimeError, match="lacks the record 'data/0'"):
        load(stream)


def test_a_short_storage_is_noticed() -> None:
    stream = rewritten(saved(fb.ones(2)), lambda r, data: data[:5] if r == "data/0" else data)
    with pytest.raises(RuntimeError, match="holds 5 bytes"):
        load(stream)


def test_storages_of_the_other_byte_order() -> None:
    def turn(record: str, data: bytes) -> bytes:
        if record == "byteorder":
            return b"big"
        if record == "data/0":
            return b"".join(data[i : i + 8][::-1] for i in range(0, len(data), 8))
        return data

    values = fb.tensor([1.5, -2.0], dtype=fb.float64)
    assert load(rewritten(saved(values), turn)).tolist() == [1.5, -2.0]


def test_files_of_another_kind(tmp_path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("no tensors here")
    with pytest.raises(pickle.UnpicklingError, match="not a file that save wrote"):
        load(text)
    archive = tmp_path / "other.zip"
    with zipfile.ZipFile(archive, "w") as target:
        target.writestr("readme", "hello")
    with pytest.raises(RuntimeError, match="without a data.pkl"):
        load(archive)
    with pytest.raises(EOFError, match="empty"):
        load(io.BytesIO())
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "missing.pt")
    with pytest.raises(RuntimeError, match="there is no folder"):
        save([], tmp_path / "missing" / "a.pt")


def test_parameters_are_plain_leaves_unless_defined() -> None:
    loaded = load(DATA / "values.pt")["parameter"]
    assert is_parameter(loaded) or type(loaded) is fb.Tensor
