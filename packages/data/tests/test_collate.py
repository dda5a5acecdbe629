import collections
import subprocess
import sys

import pytest

import flambeau_core as fb
from flambeau_data import collate, default_collate, default_collate_fn_map, default_convert

Point = collections.namedtuple("Point", "x y")


def test_tensors_are_stacked():
    batch = default_collate([fb.tensor([1, 2]), fb.tensor([3, 4])])
    assert batch.tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize(
    ("samples", "dtype"),
    [([1, 2], fb.int64), ([1.5, 2.0], fb.float64), ([True, False], fb.bool)],
)
def test_numbers_become_a_tensor(samples, dtype):
    batch = default_collate(samples)
    assert batch.dtype == dtype
    assert batch.tolist() == samples


def test_text_stays():
    assert default_collate(["a", "b"]) == ["a", "b"]
    assert default_collate([b"a", b"b"]) == [b"a", b"b"]


def test_structures_are_joined_position_by_position():
    numbers, texts = default_collate([(1, "a"), (2, "b")])
    assert numbers.tolist() == [1, 2]
    assert list(texts) == ["a", "b"]
    mapping = default_collate([{"x": 1, "y": [1.0]}, {"x": 2, "y": [2.0]}])
    assert mapping["x"].tolist() == [1, 2]
    assert mapping["y"][0].tolist() == [1.0, 2.0]
    point = default_collate([Point(1, 2), Point(3, 4)])
    assert isinstance(point, Point)
    assert point.y.tolist() == [2, 4]
    assert default_collate([[], []]) == []


def test_a_mapping_keeps_its_type():
    sample = collections.defaultdict(list, x=1)
    batch = default_collate([sample, sample])
    assert isinstance(batch, collections.defaultdict)
    assert batch.default_factory is list
    assert batch["x"].tolist() == [1, 1]
    assert sample["x"] == 1


def test_what_cannot_be_joined():
    with pytest.raises(RuntimeError, match=r"equal size.*2 and 1"):
        default_collate([[1, 2], [3]])
    with pytest.raises(RuntimeError):
        default_collate([fb.zeros(2), fb.zeros(3)])
    with pytest.raises(TypeError, match="NoneType"):
        default_collate([None])
    with pytest.raises(KeyError):
        default_collate([{"x": 1}, {"y": 1}])


def test_functions_of_ones_own():
    def join(batch, *, collate_fn_map=None):
        return "".join(batch)

    table = {**default_collate_fn_map, str: join}
    texts, numbers = collate([("a", 1), ("b", 2)], collate_fn_map=table)
    assert texts == "ab"
    assert numbers.tolist() == [1, 2]


def test_numpy_values():
    np = pytest.importorskip("numpy", reason="NumPy is optional for collating")
    batch = default_collate([np.array([1.0, 2.0], np.float32), np.array([3.0, 4.0], np.float32)])
    assert batch.dtype == fb.float32
    assert batch.tolist() == [[1, 2], [3, 4]]
    scalars = default_collate([np.int32(1), np.int32(2)])
    assert scalars.dtype == fb.int32
    assert scalars.tolist() == [1, 2]
    with pytest.raises(TypeError, match="dtype"):
        default_collate([np.array(["a"]), np.array(["b"])])


def test_convert_changes_arrays_only():
    np = pytest.importorskip("numpy", reason="NumPy is optional for collating")
    array, rest, point = default_convert([np.ones(2), (1, "a"), Point(np.zeros(1), None)])
    assert isinstance(array, fb.Tensor)
    assert rest == [1, "a"]
    assert isinstance(point.x, fb.Tensor)
    assert point.y is None
    assert default_convert({"x": np.ones(2)})["x"].tolist() == [1, 1]


def test_importing_the_package_does_not_load_numpy():
    script = "import sys, flambeau_data; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
