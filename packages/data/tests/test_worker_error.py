import pickle

import pytest

from flambeau_data.worker_error import WorkerError


class TwoArguments(Exception):
    def __init__(self, one, two):
        super().__init__(one, two)


def captured(error):
    try:
        raise error
    except Exception as caught:
        return pickle.loads(pickle.dumps(WorkerError.capture(caught, "in worker 3")))


def test_the_type_stays_and_the_traceback_is_in_the_message():
    with pytest.raises(ValueError) as raised:
        captured(ValueError("bad row")).reraise()
    message = str(raised.value)
    assert message.startswith("Caught ValueError in worker 3.\nOriginal Traceback")
    assert "raise error" in message
    assert message.rstrip().endswith("ValueError: bad row")


def test_key_errors_keep_their_line_breaks():
    with pytest.raises(KeyError) as raised:
        captured(KeyError("name")).reraise()
    assert "worker 3.\nOriginal" in str(raised.value)


def test_a_type_with_a_constructor_of_its_own():
    with pytest.raises(RuntimeError, match="Caught TwoArguments in worker 3"):
        captured(TwoArguments(1, 2)).reraise()


def test_a_type_that_cannot_travel():
    class Local(Exception):
        pass

    with pytest.raises(RuntimeError, match="Local: here"):
        captured(Local("here")).reraise()
