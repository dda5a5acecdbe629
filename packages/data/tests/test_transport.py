import errno
import multiprocessing
import pickle

import pytest

import flambeau_core as fb
from flambeau_data import transport
from flambeau_data.transport import BatchReceiver, BatchSender

pytestmark = pytest.mark.skipif(
    not transport._CAN_SHARE, reason="this system cannot pass file descriptors between processes"
)


@pytest.fixture
def ends():
    ours, theirs = multiprocessing.Pipe()
    with ours, theirs:
        yield BatchSender(theirs), BatchReceiver(ours)


def carry(ends, value, slot=0):
    sender, receiver = ends
    message, descriptor = sender.pack(value, slot)
    sender.send(message, descriptor)
    return message, receiver.unpack(*receiver.read())


def test_tensors_travel_beside_the_message(ends):
    value = {"x": fb.arange(100_000), "y": [fb.tensor([True, False]), fb.zeros(0, 3)], "z": "text"}
    message, got = carry(ends, value)
    assert len(message.pickled) < 2000
    assert message.new_segment > 800_000
    assert fb.equal(got["x"], value["x"])
    assert got["x"].dtype == fb.int64
    assert got["y"][0].tolist() == [True, False]
    assert got["y"][1].shape == (0, 3)
    assert got["z"] == "text"


def test_a_slot_is_used_again_and_values_do_not_change_afterwards(ends):
    first_message, first = carry(ends, fb.full((1000,), 1.0))
    second_message, second = carry(ends, fb.full((1000,), 2.0))
    assert first_message.new_segment
    assert second_message.new_segment == 0
    assert first.sum().item() == 1000
    assert second.sum().item() == 2000


def test_a_segment_grows(ends):
    carry(ends, fb.zeros(100))
    message, got = carry(ends, fb.ones(50_000))
    assert message.new_segment >= 200_000
    assert got.sum().item() == 50_000


def test_strided_and_differentiable_tensors(ends):
    transposed = fb.arange(6.0).view(2, 3).t()
    leaf = fb.ones(3, requires_grad=True)
    _, (got_transposed, got_leaf) = carry(ends, (transposed, leaf))
    assert got_transposed.tolist() == [[0, 3], [1, 4], [2, 5]]
    assert got_leaf.requires_grad
    assert got_leaf.tolist() == [1, 1, 1]


def test_long_pickles_and_arrays_are_set_aside_too(ends):
    message, text = carry(ends, "x" * 1_000_000)
    assert message.is_small
    assert text == "x" * 1_000_000
    np = pytest.importorskip("numpy", reason="NumPy arrays are optional")
    message, array = carry(ends, np.arange(50_000), slot=1)
    assert message.is_small
    assert len(message.buffers) == 1
    assert (array == np.arange(50_000)).all()
    array[0] = 7  # a copy of the receiver's own, and writable


def test_without_shared_memory_it_warns_once_and_pickles(ends, monkeypatch):
    def no_memory(size):
        raise OSError(errno.ENOMEM, "Cannot allocate memory")

    monkeypatch.setattr(transport, "_new_segment", no_memory)
    sender, receiver = ends
    with pytest.warns(UserWarning, match="out of shared memory"):
        message, descriptor = sender.pack(fb.arange(5000), 0)
    assert descriptor is None
    assert not message.is_small
    assert receiver.unpack(message, None).sum().item() == 4999 * 2500
    message, _ = sender.pack(fb.arange(3), 0)  # a second warning would be an error
    assert receiver.unpack(message, None).tolist() == [0, 1, 2]


def test_what_cannot_be_pickled_says_so(ends):
    with pytest.raises((AttributeError, pickle.PicklingError)):
        ends[0].pack(lambda: 0, 0)


def test_a_message_needs_its_segment(ends):
    message, _ = ends[0].pack(fb.zeros(10), 0)
    with pytest.raises(pickle.UnpicklingError, match="shared memory"):
        pickle.loads(message.pickled)
