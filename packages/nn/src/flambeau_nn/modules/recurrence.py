"""The steps of the recurrent cells, and running one of them along sequences.

A state is a tuple of tensors (B, *), the output first. Gates are computed for all steps of a layer
in one product before the loop; the loop adds what depends on the state.
"""

from __future__ import annotations

from collections.abc import Callable

import flambeau_core as fb
from flambeau_core import Tensor
from flambeau_core.nn_ops import linear

__all__ = ["State", "Step", "gru_step", "lstm_step", "rnn_step", "run"]

State = tuple[Tensor, ...]
Step = Callable[[Tensor, State], State]
"""From the input's share of the gates (B, G * H) and a state to the next state."""


def rnn_step(nonlinearity: str, weight_hh: Tensor, bias_hh: Tensor | None) -> Step:
    """h' = tanh(W_ih x + W_hh h + b), or relu; Elman, 1990."""
    activate = fb.tanh if nonlinearity == "tanh" else fb.relu

    def step(gates: Tensor, state: State) -> State:
        return (activate(gates + linear(state[0], weight_hh, bias_hh)),)

    return step


def lstm_step(weight_hh: Tensor, bias_hh: Tensor | None, projection: Tensor | None) -> Step:
    """The long short-term memory of Hochreiter and Schmidhuber, 1997, with forget gates.

    Gates in the order input, forget, cell, output; `projection` (P, H) makes the output smaller.
    """

    def step(gates: Tensor, state: State) -> State:
        hidden, cell = state
        i, f, g, o = (gates + linear(hidden, weight_hh, bias_hh)).chunk(4, 1)
        cell = f.sigmoid() * cell + i.sigmoid() * g.tanh()
        hidden = o.sigmoid() * cell.tanh()
        if projection is not None:
            hidden = linear(hidden, projection)
        return hidden, cell

    return step


def gru_step(weight_hh: Tensor, bias_hh: Tensor | None) -> Step:
    """The gated recurrent unit of Cho et al., 2014; gates in the order reset, update, new.

    The reset gate is applied after the product with the state.
    """

    def step(gates: Tensor, state: State) -> State:
        (hidden,) = state
        reset_x, update_x, new_x = gates.chunk(3, 1)
        reset_h, update_h, new_h = linear(hidden, weight_hh, bias_hh).chunk(3, 1)
        reset = (reset_x + reset_h).sigmoid()
        update = (update_x + update_h).sigmoid()
        new = (new_x + reset * new_h).tanh()
        return (new + update * (hidden - new),)

    return step


def run(
    step: Step, gates: Tensor, batch_sizes: list[int], start: State, backwards: bool
) -> tuple[Tensor, State]:
    """Runs a step along packed sequences: all outputs (sum of lengths, *), and the last states.

    `gates` holds `batch_sizes[t]` rows for step t, `start` a row for every sequence. Backwards,
    each sequence begins at its own last step.
    """
    ends = [0]
    for size in batch_sizes:
        ends.append(ends[-1] + size)
    steps = range(len(batch_sizes))
    outputs: list[Tensor] = []
    state = start
    if backwards:
        state = tuple(part[: batch_sizes[-1]] for part in start)
        for t in reversed(steps):
            running = state[0].size(0)
            if batch_sizes[t] > running:
                joining = (part[running : batch_sizes[t]] for part in start)
                state = tuple(fb.cat(pair) for pair in zip(state, joining))
            state = step(gates[ends[t] : ends[t + 1]], state)
            outputs.append(state[0])
        outputs.reverse()
        return fb.cat(outputs), state
    finished: list[State] = []
    for t in steps:
        size = batch_sizes[t]
        if size < state[0].size(0):
            finished.append(tuple(part[size:] for part in state))
            state = tuple(part[:size] for part in state)
        state = step(gates[ends[t] : ends[t + 1]], state)
        outputs.append(state[0])
    if finished:
        parts = [state, *reversed(finished)]
        state = tuple(fb.cat(list(pieces)) for pieces in zip(*parts))
    return fb.cat(outputs), state
