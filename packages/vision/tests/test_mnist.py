import gzip

import numpy as np
import pytest

import flambeau_core as fb
from flambeau_vision.datasets import KMNIST, MNIST, FashionMNIST
from flambeau_vision.datasets.idx import IDXError, write_idx
from flambeau_vision.transforms import Compose, Normalize, ToTensor


def write_mnist(root, name="MNIST", suffix="", train=6, test=4):
    folder = root / name / "raw"
    folder.mkdir(parents=True)
    rng = np.random.default_rng(0)
    for prefix, count in (("train", train), ("t10k", test)):
        images = rng.integers(0, 256, (count, 28, 28), dtype=np.uint8)
        write_idx(folder / f"{prefix}-images-idx3-ubyte{suffix}", images)
        labels = np.arange(count, dtype=np.uint8) % 10
        write_idx(folder / f"{prefix}-labels-idx1-ubyte{suffix}", labels)
    return folder


@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_reads_the_files_of_pytorchs_folder(tmp_path, suffix):
    write_mnist(tmp_path, suffix=suffix)
    train, test = MNIST(tmp_path), MNIST(tmp_path, train=False)
    assert (len(train), len(test)) == (6, 4)
    assert train.data.shape == (6, 28, 28)
    assert train.data.dtype == fb.uint8
    assert train.targets.dtype == fb.int64
    assert train.targets.tolist() == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize("kind", [MNIST, FashionMNIST, KMNIST])
def test_each_data_set_has_its_own_folder_and_ten_classes(tmp_path, kind):
    write_mnist(tmp_path, name=kind.__name__)
    assert len(kind(tmp_path)) == 6
    assert len(kind(tmp_path).class_to_idx) == 10


def test_an_item_is_an_image_and_its_label(tmp_path):
    write_mnist(tmp_path)
    data = MNIST(tmp_path)
    image, label = data[3]
    assert image.mode == "L"
    assert image.size == (28, 28)
    assert np.array_equal(np.asarray(image), data.data[3].numpy())
    assert label == 3
    assert isinstance(label, int)


def test_transforms_are_applied(tmp_path):
    write_mnist(tmp_path)
    transform = Compose([ToTensor(), Normalize((0.5,), (0.25,))])
    data = MNIST(tmp_path, transform=transform, target_transform=lambda y: y + 100)
    image, label = data[2]
    expected = (data.data[2].numpy().astype(np.float64) / 255 - 0.5) / 0.25
    assert image.shape == (1, 28, 28)
    assert np.allclose(image[0].numpy(), expected, atol=1e-6)
    assert label == 102


def test_repr_matches_pytorchs(tmp_path):
    write_mnist(tmp_path)
    plain = MNIST(tmp_path, train=False)
    assert repr(plain) == (
        "Dataset MNIST\n"
        "    Number of datapoints: 4\n"
        f"    Root location: {tmp_path}\n"
        "    Split: Test"
    )
    data = MNIST(tmp_path, transform=Compose([ToTensor()]))
    assert repr(data) == (
        "Dataset MNIST\n"
        "    Number of datapoints: 6\n"
        f"    Root location: {tmp_path}\n"
        "    Split: Train\n"
        "    StandardTransform\n"
        "Transform: Compose(\n"
        "               ToTensor()\n"
        "           )"
    )


def test_missing_files_are_said_to_be_missing(tmp_path):
    with pytest.raises(RuntimeError, match="You can use download=True to download it"):
        MNIST(tmp_path)


def test_images_and_labels_must_belong_together(tmp_path):
    folder = write_mnist(tmp_path)
    write_idx(folder / "train-labels-idx1-ubyte", np.zeros(5, np.uint8))
    with pytest.raises(IDXError, match="6 train images but 5 labels"):
        MNIST(tmp_path)


def test_labels_in_the_place_of_images_are_refused(tmp_path):
    folder = write_mnist(tmp_path)
    write_idx(folder / "train-images-idx3-ubyte", np.zeros(6, np.uint8))
    with pytest.raises(IDXError, match="uint8 values of 3 are expected"):
        MNIST(tmp_path)


def test_download_unpacks_beside_the_archives(tmp_path, monkeypatch):
    source = write_mnist(tmp_path / "mirror", suffix=".gz")
    fetched = []

    def deliver(urls, target, md5):
        fetched.append((urls[0], md5))
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((source / target.name).read_bytes())

    monkeypatch.setattr("flambeau_vision.datasets.mnist.download", deliver)
    data = MNIST(tmp_path, download=True)
    assert len(data) == 6
    assert [md5 for _, md5 in fetched] == [md5 for _, md5 in MNIST.resources]
    assert all(url.startswith(MNIST.mirrors[0]) for url, _ in fetched)
    unpacked = tmp_path / "MNIST" / "raw" / "train-labels-idx1-ubyte"
    assert unpacked.read_bytes() == gzip.decompress((source / f"{unpacked.name}.gz").read_bytes())
    MNIST(tmp_path, download=True)
    assert len(fetched) == 4
