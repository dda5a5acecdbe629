"""The steps of the recurrent cells, and running one of them along sequences.

A state is a tuple of tensors (B, *), the output first. Gates are computed for all steps of a layer
in one product before the loop; the loop adds what depends on the state.
"""

from __future__ import annotations

from collections.abc import Callable

import flambeau_core as fb
from flambeau_core import Tensor
from flambeau_core.nn_ops import linear

__all__ = ["Share", "State", "Step", "gru_step", "lstm_step", "rnn_step", "run", "state_share"]

State = tuple[Tensor, ...]
Step = Callable[[Tensor, State], State]
"""From the input's share of the gates (B, G * H) and a state to the next state."""


Share = Callable[[Tensor], Tensor]
"""From an output (B, *) to its share of the next gates (B, G * H)."""

_LONG = 20


def state_share(weight_hh: Tensor, bias_hh: Tensor | None, length: int = 1) -> Share:
    """h -> W_hh h + b_hh, to be taken `length` times."""
    if length < _LONG or fb.is_grad_enabled():
        return lambda hidden: linear(hidden, weight_hh, bias_hh)
    # Turned round once, the weight is read faster in every step.
    columns = weight_hh.t().contiguous()
    if bias_hh is None:
        return lambda hidden: fb.matmul(hidden, columns)
    return lambda hidden: fb.addmm(bias_hh, hidden, columns)


def rnn_step(nonlinearity: str, share: Share) -> Step:
    """h' = tanh(W_ih x + W_hh h + b), or relu; Elman, 1990."""
    activate = fb.tanh if nonlinearity == "tanh" else fb.relu

    def step(gates: Tensor, state: State) -> State:
        return (activate(gates + share(state[0])),)

    return step


def lstm_step(share: Share, projection: Tensor | None) -> Step:
    """The long short-term memory of Hochreiter and Schmidhuber, 1997, with forget gates.

    Gates in the order input, forget, cell, output; `projection` (P, H) makes the output smaller.
    """

    def step(gates: Tensor, state: State) -> State:
        hidden, cell = state
        i, f, g, o = (gates + share(hidden)).chunk(4, 1)
        cell = f.sigmoid() * cell + i.sigmoid() * g.tanh()
        hidden = o.sigmoid() * cell.tanh()
        if projection is not None:
            hidden = linear(hidden, projection)
        return hidden, cell

    return step


def gru_step(share: Share) -> Step:
    """The gated recurrent unit of Cho et al., 2014; gates in the order reset, update, new.

    The reset gate is applied after the product with the state.
    """

    def step(gates: Tensor, state: State) -> State:
        (hidden,) = state
        reset_x, update_x, new_x = gates.chunk(3, 1)
        reset_h, update_h, new_h = share(hidden).chunk(3, 1)
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
    shares = gates.split(batch_sizes)
    outputs: list[Tensor] = []
    state = start
    if backwards:
        running = batch_sizes[-1]
        state = tuple(part[:running] for part in start)
        for share, size in zip(reversed(shares), reversed(batch_sizes)):
            if size > running:
                joining = (part[running:size] for part in start)
                state = tuple(fb.cat(pair) for pair in zip(state, joining))
                running = size
            state = step(share, state)
            outputs.append(state[0])
        outputs.reverse()
        return fb.cat(outputs), state
    running = batch_sizes[0]
    finished: list[State] = []
    for share, size in zip(shares, batch_sizes):
        if size < running:
            finished.append(tuple(part[size:] for part in state))
            state = tuple(part[:size] for part in state)
            running = size
        state = step(share, state)
        outputs.append(state[0])
    if finished:
        parts = [state, *reversed(finished)]
        state = tuple(fb.cat(list(pieces)) for pieces in zip(*parts))
    return fb.cat(outputs), state
