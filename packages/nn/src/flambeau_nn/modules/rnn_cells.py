"""Recurrent cells: one step at a time."""

from __future__ import annotations

import math
from typing import Any

import flambeau_core as fb
from flambeau_core import Tensor
from flambeau_core.nn_ops import linear

from .. import init
from ..parameter import Parameter
from .module import Module
from .recurrence import State, Step, gru_step, lstm_step, rnn_step, state_share

__all__ = ["GRUCell", "LSTMCell", "RNNCell", "RNNCellBase"]


class RNNCellBase(Module):
    """Weights, checks and text of the cells."""

    weight_ih: Parameter
    weight_hh: Parameter
    bias_ih: Parameter | None
    bias_hh: Parameter | None
    gates: int

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool, device: Any, dtype: Any
    ) -> None:
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        width = self.gates * hidden_size
        made = {"device": device, "dtype": dtype}
        self.weight_ih = Parameter(fb.empty((width, input_size), **made))
        self.weight_hh = Parameter(fb.empty((width, hidden_size), **made))
        for name in ("bias_ih", "bias_hh"):
            self.register_parameter(name, Parameter(fb.empty(width, **made)) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draws all weights from U(-1/sqrt(H), 1/sqrt(H))."""
        limit = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -limit, limit)

    def _next(self, step: Step, input: Tensor, state: State | None) -> State:
        """One step from an input (B, I) or (I) and states of the same kind."""
        self._check(input, state)
        batched = input.dim() == 2
        rows = input if batched else input.unsqueeze(0)
        gates = linear(rows, self.weight_ih, self.bias_ih)
        if state is None:
            count = 2 if isinstance(self, LSTMCell) else 1
            zeros = fb.zeros(
                (rows.size(0), self.hidden_size), dtype=input.dtype, device=input.device
            )
            state = (zeros,) * count
        elif not batched:
            state = tuple(part.unsqueeze(0) for part in state)
        after = step(gates, state)
        return after if batched else tuple(part.squeeze(0) for part in after)

    def _check(self, input: Tensor, state: State | None) -> None:
        name = type(self).__name__
        if input.dim() not in (1, 2):
            raise ValueError(f"{name}: Expected input to be 1D or 2D, got {input.dim()}D instead")
        if input.size(-1) != self.input_size:
            raise RuntimeError(
                f"input has inconsistent input_size: got {input.size(-1)} expected "
                f"{self.input_size}"
            )
        for place, part in enumerate(state or ()):
            if part.dim() not in (1, 2):
                raise ValueError(
                    f"{name}: Expected hx[{place}] to be 1D or 2D, got {part.dim()}D instead"
                )
            if part.dim() == 2 and input.dim() == 2 and part.size(0) != input.size(0):
                raise RuntimeError(
                    f"Input batch size {input.size(0)} doesn't match hidden{place} batch size "
                    f"{part.size(0)}"
                )
            if part.size(-1) != self.hidden_size:
                raise RuntimeError(
                    f"hidden{place} has inconsistent hidden_size: got {part.size(-1)}, expected "
                    f"{self.hidden_size}"
                )

    def extra_repr(self) -> str:
        text = f"{self.input_size}, {self.hidden_size}"
        return text if self.bias is True else text + f", bias={self.bias}"


class RNNCell(RNNCellBase):
    """One step of `RNN`: (B, I) and (B, H) to (B, H)."""

    gates = 1

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        if self.nonlinearity not in ("tanh", "relu"):
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        step = rnn_step(self.nonlinearity, state_share(self.weight_hh, self.bias_hh))
        return self._next(step, input, None if hx is None else (hx,))[0]

    def extra_repr(self) -> str:
        text = super().extra_repr()
        return text if self.nonlinearity == "tanh" else text + f", nonlinearity={self.nonlinearity}"


class LSTMCell(RNNCellBase):
    """One step of `LSTM`: (B, I) and a pair of (B, H) to a pair of (B, H)."""

    gates = 4

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, device, dtype)

    def forward(
        self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None
    ) -> tuple[Tensor, Tensor]:
        step = lstm_step(state_share(self.weight_hh, self.bias_hh), None)
        hidden, cell = self._next(step, input, None if hx is None else tuple(hx))
        return hidden, cell


class GRUCell(RNNCellBase):
    """One step of `GRU`: (B, I) and (B, H) to (B, H)."""

    gates = 3

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, device, dtype)

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        step = gru_step(state_share(self.weight_hh, self.bias_hh))
        return self._next(step, input, None if hx is None else (hx,))[0]
