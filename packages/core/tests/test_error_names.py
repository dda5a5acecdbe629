"""What an op refuses, it refuses by name, also where a rule of many ops does it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import flambeau_core as fb
from flambeau_core import nn_ops

CALLS: list[tuple[str, type[Exception], Callable[[], Any]]] = [
    ("sum: .*got 4", IndexError, lambda: fb.ones(2, 3).sum(4)),
    ("transpose: .*got 5", IndexError, lambda: fb.ones(3).transpose(0, 5)),
    ("softmax: .*got 2", IndexError, lambda: nn_ops.softmax(fb.ones(3), 2)),
    (
        "embedding: index 5 .* size 2",
        IndexError,
        lambda: nn_ops.embedding(fb.tensor([5]), fb.ones(2, 3)),
    ),
    (
        r"conv2d: .*\[4, 5, 3, 3\].*\[1, 3, 8, 8\]",
        RuntimeError,
        lambda: nn_ops.conv2d(fb.ones(1, 3, 8, 8), fb.ones(4, 5, 3, 3)),
    ),
]


@pytest.mark.parametrize(
    ("message", "kind", "call"), CALLS, ids=[row[0].split(":")[0] for row in CALLS]
)
def test_message_begins_with_the_op(
    message: str, kind: type[Exception], call: Callable[[], Any]
) -> None:
    with pytest.raises(kind, match=f"^{message}"):
        call()


def test_a_name_already_said_is_not_said_again() -> None:
    with pytest.raises(RuntimeError) as error:
        fb.stack([fb.ones(2), fb.ones(3)])
    assert str(error.value).count("stack") == 1
