"""Writes the ``.pt`` files beside it with PyTorch 2.13; not part of any test run.

Values are chosen so that the tests can state them: everything counts up from zero.
"""

from collections import OrderedDict
from pathlib import Path

import torch

HERE = Path(__file__).resolve().parent
DTYPES = (
    "bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64 complex64 complex128"
).split()


def state_dict() -> OrderedDict:
    state = OrderedDict()
    state["0.weight"] = torch.arange(6.0).reshape(2, 3)
    state["0.bias"] = torch.arange(2.0)
    state["steps"] = torch.tensor(7)
    state._metadata = OrderedDict({"": {"version": 1}})
    return state


def shared() -> dict:
    base = torch.arange(12.0).reshape(3, 4)
    return {"base": base, "row": base[1], "transposed": base.t(), "step": base[:, ::2]}


def dtypes() -> dict:
    return {name: torch.arange(3).to(getattr(torch, name)) for name in DTYPES}


def checkpoint() -> dict:
    model = torch.nn.Linear(2, 1)
    with torch.no_grad():
        model.weight.copy_(torch.tensor([[1.0, 2.0]]))
        model.bias.fill_(0.5)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    model(torch.ones(1, 2)).sum().backward()
    optimizer.step()
    return {"epoch": 3, "model": model.state_dict(), "optimizer": optimizer.state_dict()}


def values() -> dict:
    return {
        "size": torch.Size([2, 3]),
        "device": torch.device("cpu"),
        "dtype": torch.float64,
        "set": {1, 2},
        "bytes": b"\x00\xff",
        "big": 2**100,
        "complex": 1 + 2j,
        "nested": [1, 2.5, "text", None, True, (1, [2])],
        "parameter": torch.nn.Parameter(torch.arange(3.0)),
        "leaf": torch.ones(2, requires_grad=True),
        "empty": torch.empty(0, 3),
        "scalar": torch.tensor(2.5),
    }


def main() -> None:
    torch.save(state_dict(), HERE / "state_dict.pt")
    torch.save(state_dict(), HERE / "legacy.pt", _use_new_zipfile_serialization=False)
    torch.save(shared(), HERE / "shared.pt")
    torch.save(shared(), HERE / "shared_legacy.pt", _use_new_zipfile_serialization=False)
    torch.save(dtypes(), HERE / "dtypes.pt")
    torch.save(checkpoint(), HERE / "checkpoint.pt")
    torch.save(values(), HERE / "values.pt")
    torch.save(torch.nn.Linear(1, 1), HERE / "whole_module.pt")


if __name__ == "__main__":
    main()
