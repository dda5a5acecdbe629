"""Programs of views, writes and results mean in memory what they mean in NumPy."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

import flambeau_core as fb

from . import result_steps, view_steps, writing_steps
from .drawing import Drawing
from .program import Program

STEPS = [*view_steps.STEPS, *writing_steps.STEPS, *result_steps.STEPS]


@pytest.fixture(params=[1, 2])
def threads(request: pytest.FixtureRequest) -> Iterator[int]:
    before = fb.get_num_threads()
    fb.set_num_threads(request.param)
    yield request.param
    fb.set_num_threads(before)


@given(data=st.data())
def test_programs_share_memory_as_numpy_does(threads: int, data: st.DataObject) -> None:
    draw = Drawing(data, large=threads > 1)
    program = Program(draw)
    for _ in range(draw.integer(1, 3)):
        program.create()
    for _ in range(draw.integer(1, 14)):
        draw.choice(STEPS)(program)
        program.check()
