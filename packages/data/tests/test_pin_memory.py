import warnings

import pytest

import flambeau_core as fb
from flambeau_data import DataLoader, TensorDataset, pin_memory


class Pinnable:
    pinned = False

    def pin_memory(self):
        self.pinned = True
        return self


def test_everything_pinnable_in_a_batch_is_pinned():
    batch = [Pinnable(), {"x": Pinnable(), "y": "text"}, (Pinnable(), 3)]
    first, mapping, (third, number) = pin_memory.pin_memory(batch)
    assert first.pinned
    assert mapping["x"].pinned
    assert third.pinned
    assert (mapping["y"], number) == ("text", 3)


@pytest.mark.skipif(fb.cuda.is_available(), reason="the warning is for systems without accelerator")
def test_without_accelerator_it_warns_once(monkeypatch):
    monkeypatch.setattr(pin_memory, "_warned", False)
    loader = DataLoader(TensorDataset(fb.zeros(2)), pin_memory=True)
    with pytest.warns(UserWarning, match="pin_memory"):
        list(loader)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        list(loader)
