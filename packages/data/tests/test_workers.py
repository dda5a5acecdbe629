"""The loader with worker processes."""

import contextlib
import gc
import os
import signal
import subprocess
import sys
import time

import pytest

import flambeau_core as fb
from flambeau_data import DataLoader, Dataset, IterableDataset, TensorDataset, get_worker_info


class Mapped(Dataset):
    """The numbers below ``count``, through a function."""

    def __init__(self, function, count=8):
        self.function = function
        self.count = count

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        return self.function(index)


def image(index):
    return {"image": fb.full((3, 40, 40), float(index)), "label": index, "name": f"n{index}"}


class Shares(IterableDataset):
    """Worker i gives ``shares[i]`` numbers, from 100 i on."""

    def __init__(self, shares):
        self.shares = shares

    def __iter__(self):
        worker = get_worker_info().id
        return iter(range(100 * worker, 100 * worker + self.shares[worker]))


def numbers(loader):
    return [int(batch) for batch in loader]


@contextlib.contextmanager
def at_most(seconds):
    started = time.monotonic()
    yield
    assert time.monotonic() - started < seconds


@pytest.mark.parametrize("workers", [1, 2, 3])
@pytest.mark.parametrize("prefetch", [1, 2])
def test_batches_arrive_whole_and_in_order(workers, prefetch):
    loader = DataLoader(
        Mapped(image, 11), batch_size=2, num_workers=workers, prefetch_factor=prefetch
    )
    batches = list(loader)
    assert len(batches) == len(loader) == 6
    assert [label for batch in batches for label in batch["label"].tolist()] == list(range(11))
    for batch in batches:
        assert batch["image"].shape == (len(batch["label"]), 3, 40, 40)
        assert batch["image"][:, 1, 20, 20].tolist() == batch["label"].tolist()
        assert batch["name"] == [f"n{label}" for label in batch["label"].tolist()]


def test_spawned_workers():
    loader = DataLoader(
        TensorDataset(fb.arange(7)), batch_size=3, num_workers=1, multiprocessing_context="spawn"
    )
    assert [batch[0].tolist() for batch in loader] == [[0, 1, 2], [3, 4, 5], [6]]


def test_the_order_does_not_depend_on_the_number_of_workers():
    def order(workers):
        fb.manual_seed(5)
        loader = DataLoader(range(20), batch_size=4, shuffle=True, num_workers=workers)
        return [batch.tolist() for batch in loader], fb.rand(2).tolist()

    assert order(0) == order(1) == order(2)


def test_each_worker_has_a_seed_of_its_own():
    def draws():
        fb.manual_seed(7)
        random_numbers = Mapped(lambda index: (fb.rand(()).item(), get_worker_info().seed), 4)
        loader = DataLoader(random_numbers, num_workers=2, collate_fn=lambda batch: batch[0])
        return list(loader)

    first = draws()
    assert len({seed for _, seed in first}) == 2
    assert len({number for number, _ in first}) == 4
    assert draws() == first


def test_worker_info_and_init():
    calls = Mapped(lambda index: (get_worker_info().id, get_worker_info().num_workers, marks[:]))
    marks = []
    loader = DataLoader(
        calls, num_workers=2, worker_init_fn=marks.append, collate_fn=lambda batch: batch[0]
    )
    assert list(loader)[:4] == [(0, 2, [0]), (1, 2, [1]), (0, 2, [0]), (1, 2, [1])]
    assert marks == []


def test_workers_compute_with_one_thread():
    threads = Mapped(lambda index: fb.get_num_threads(), 2)
    assert numbers(DataLoader(threads, num_workers=1)) == [1, 1]


@pytest.mark.parametrize(
    ("shares", "expected"),
    [
        ([2, 2], [0, 100, 1, 101]),
        ([3, 1], [0, 100, 1, 2]),
        ([0, 2], [100, 101]),
        ([0, 0], []),
    ],
)
def test_streams_take_turns_until_each_ends(shares, expected):
    assert numbers(DataLoader(Shares(shares), num_workers=2)) == expected
    assert list(DataLoader(Shares(shares), batch_size=None, num_workers=2)) == expected


def test_streams_drop_an_incomplete_batch_of_each_worker():
    loader = DataLoader(Shares([3, 4]), batch_size=2, drop_last=True, num_workers=2)
    assert [batch.tolist() for batch in loader] == [[0, 1], [100, 101], [102, 103]]


def test_out_of_order_a_slow_worker_holds_nobody_up():
    def slow_at_zero(index):
        time.sleep(0.3 if index == 0 else 0)
        return index

    loader = DataLoader(Mapped(slow_at_zero), num_workers=2, in_order=False)
    got = numbers(loader)
    assert sorted(got) == list(range(8))
    assert got[0] != 0


def test_persistent_workers_stay():
    loader = DataLoader(Mapped(lambda index: os.getpid()), num_workers=2, persistent_workers=True)
    first = set(numbers(loader))
    assert set(numbers(loader)) == first
    interrupted = iter(loader)
    next(interrupted)
    assert len(numbers(loader)) == 8
    streams = DataLoader(Shares([2, 1]), num_workers=2, persistent_workers=True)
    assert numbers(streams) == numbers(streams) == [0, 100, 1]


def test_tasks_and_batches_larger_than_any_pipe():
    loader = DataLoader(
        TensorDataset(fb.arange(300_000)), batch_size=100_000, num_workers=1, prefetch_factor=3
    )
    assert [batch[0][-1].item() for batch in loader] == [99_999, 199_999, 299_999]
    texts = DataLoader(Mapped(lambda index: "x" * 1_000_000), num_workers=2, prefetch_factor=4)
    assert [len(batch[0]) for batch in texts] == [1_000_000] * 8


def test_an_exception_arrives_with_its_traceback_and_the_rest_goes_on():
    def read_row(index):
        if index == 3:
            raise ValueError("row 3 is broken")
        return index

    iterator = iter(DataLoader(Mapped(read_row, 6), num_workers=2))
    assert [int(next(iterator)) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(ValueError) as raised:
        next(iterator)
    message = str(raised.value)
    assert message.startswith(
        "Caught ValueError in DataLoader worker process 1.\nOriginal Traceback"
    )
    assert "read_row" in message
    assert "row 3 is broken" in message
    assert numbers(iterator) == [4, 5]


def test_stop_iteration_of_a_dataset_is_an_error_not_an_end():
    def stop(index):
        raise StopIteration

    with pytest.raises((RuntimeError, StopIteration), match="Caught StopIteration"):
        next(iter(DataLoader(Mapped(stop), num_workers=1)))


def test_errors_of_init_collate_and_pickling():
    with pytest.raises(ZeroDivisionError, match="worker process 0"):
        list(DataLoader(range(3), num_workers=1, worker_init_fn=lambda worker: 1 / 0))
    with pytest.raises(TypeError, match="NoneType"):
        list(DataLoader(Mapped(lambda index: None), num_workers=1))
    with pytest.raises(Exception, match="in DataLoader worker process 0"):
        list(DataLoader(Mapped(lambda index: [lambda: 0]), num_workers=1, collate_fn=list))


@pytest.mark.parametrize(
    ("death", "reason"),
    [(lambda: os._exit(3), "exit code 3"), (lambda: os.kill(os.getpid(), 9), "SIGKILL")],
)
def test_a_dead_worker_is_an_error_at_once(death, reason):
    def die_at_five(index):
        if index == 5:
            death()
        return index

    with (
        at_most(4),
        pytest.raises(
            RuntimeError, match=rf"worker \(pid\(s\) \d+\) exited unexpectedly.*{reason}"
        ),
    ):
        list(DataLoader(Mapped(die_at_five), num_workers=2))


def test_a_worker_killed_from_outside_while_another_is_awaited():
    def wait_in_worker_zero(index):
        if get_worker_info().id == 0:
            time.sleep(60)
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(60)

    iterator = iter(DataLoader(Mapped(wait_in_worker_zero), num_workers=2))
    with at_most(4), pytest.raises(RuntimeError, match="SIGTERM"):
        next(iterator)
    with pytest.raises(StopIteration):
        next(iterator)


def test_after_a_death_a_persistent_loader_starts_afresh(tmp_path):
    flag = tmp_path / "died"

    def die_once(index):
        if not flag.exists():
            flag.touch()
            os._exit(1)
        return index

    loader = DataLoader(Mapped(die_once, 2), num_workers=1, persistent_workers=True)
    with pytest.raises(RuntimeError, match="exited unexpectedly"):
        list(loader)
    assert numbers(loader) == [0, 1]


def test_timeout():
    loader = DataLoader(Mapped(lambda index: time.sleep(1.5)), num_workers=1, timeout=0.1)
    with at_most(5), pytest.raises(RuntimeError, match=r"timed out after 0\.1 seconds"):
        next(iter(loader))


def test_dropping_the_iterator_ends_its_workers():
    iterator = iter(DataLoader(Mapped(lambda index: os.getpid(), 100), num_workers=2))
    pids = [int(next(iterator)) for _ in range(2)]
    with at_most(4):
        del iterator
        gc.collect()
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_a_forked_child_leaves_the_workers_alone():
    iterator = iter(DataLoader(Mapped(lambda index: index, 20), num_workers=1))
    next(iterator)
    child = os.fork()
    if child == 0:
        del iterator
        gc.collect()
        os._exit(0)
    os.waitpid(child, 0)
    assert numbers(iterator) == list(range(1, 20))


_SCRIPT = """
import os, sys, time
from flambeau_data import DataLoader, Dataset

class Pids(Dataset):
    def __len__(self):
        return 1000
    def __getitem__(self, index):
        time.sleep(0.01)
        return os.getpid()

iterator = iter(DataLoader(Pids(), num_workers=2))
print(*[int(next(iterator)) for _ in range(2)], flush=True)
"""


def _start(script):
    return subprocess.Popen(
        [sys.executable, "-c", script],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def _assert_gone(pids, within=8.0):
    deadline = time.monotonic() + within
    while time.monotonic() < deadline:
        if not any(_runs(pid) for pid in pids):
            return
        time.sleep(0.05)
    pytest.fail(f"workers {pids} are still there")


def _runs(pid):
    """Whether the process exists and is no zombie (whose new parent may not collect it)."""
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


needs_proc = pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="looks into /proc")


@needs_proc
def test_the_interpreter_exits_with_a_live_iterator():
    process = _start(_SCRIPT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 0
    assert err == ""
    _assert_gone([int(pid) for pid in out.split()])


@needs_proc
def test_ctrl_c_reaches_the_program_alone():
    # A shell that runs the tests in the background has them ignore Ctrl-C.
    listen = "import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
    process = _start(listen + _SCRIPT + "\nfor _ in iterator: pass\n")
    pids = [int(pid) for pid in process.stdout.readline().split()]
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == -signal.SIGINT
    assert err.count("Traceback") == 1
    assert err.rstrip().endswith("KeyboardInterrupt")
    _assert_gone(pids)


@needs_proc
def test_workers_do_not_outlive_a_killed_program():
    process = _start(_SCRIPT + "\ntime.sleep(60)\n")
    pids = [int(pid) for pid in process.stdout.readline().split()]
    process.kill()
    process.communicate(timeout=30)
    _assert_gone(pids)


def test_workers_compute_although_the_threads_of_their_parent_are_gone():
    large = fb.ones(1500, 1500)
    assert (large @ large)[0, 0].item() == 1500.0  # starts the thread pool here

    def compute(index):
        return (large @ large)[0, 0] + (large + index).sum() / 1500**2

    with at_most(60):
        batches = list(DataLoader(Mapped(compute, 4), num_workers=2))
    assert [batch.item() for batch in batches] == [1501.0, 1502.0, 1503.0, 1504.0]
