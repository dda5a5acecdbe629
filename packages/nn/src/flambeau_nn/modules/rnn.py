"""Recurrent layers over whole sequences."""

from __future__ import annotations

import math
import warnings
from typing import Any

import flambeau_core as fb
from flambeau_core import Tensor
from flambeau_core.nn_ops import linear

from .. import functional as F
from .. import init
from ..packed_sequence import PackedSequence
from ..parameter import Parameter
from .module import Module
from .recurrence import Share, State, Step, gru_step, lstm_step, rnn_step, run, state_share

__all__ = ["GRU", "LSTM", "RNN", "RNNBase"]

_GATES = {"RNN_TANH": 1, "RNN_RELU": 1, "LSTM": 4, "GRU": 3}


class RNNBase(Module):
    """Weights, checks and the walk through layers and directions of all recurrent layers.

    The weights of layer k are weight_ih_lk (G * H, inputs), weight_hh_lk (G * H, H), their biases,
    and weight_hr_lk (P, H) with a projection; those of the backward direction end in "_reverse".
    """

    weight_ih_l0: Parameter
    # Whether the state's bias is used inside the gates; else both biases are added to them at once.
    _state_bias_apart = False

    def __init__(
        self,
        mode: str,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.mode = mode
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout)
        self.bidirectional = bidirectional
        self.proj_size = proj_size
        self._check_settings(dropout)
        gates = _GATES[mode] * hidden_size
        output_size = proj_size or hidden_size
        for layer in range(num_layers):
            inputs = input_size if layer == 0 else output_size * self._directions
            shapes = {"weight_ih": (gates, inputs), "weight_hh": (gates, output_size)}
            if bias:
                shapes["bias_ih"] = shapes["bias_hh"] = (gates,)  # type: ignore[assignment]
            if proj_size:
                shapes["weight_hr"] = (proj_size, hidden_size)
            for suffix in self._suffixes(layer):
                for name, shape in shapes.items():
                    values = fb.empty(shape, device=device, dtype=dtype)
                    setattr(self, name + suffix, Parameter(values))
        self.reset_parameters()

    @property
    def _directions(self) -> int:
        return 2 if self.bidirectional else 1

    def _suffixes(self, layer: int) -> list[str]:
        return [f"_l{layer}", f"_l{layer}_reverse"][: self._directions]

    def _check_settings(self, dropout: Any) -> None:
        if isinstance(dropout, bool) or not 0 <= dropout <= 1:
            raise ValueError(
                "dropout should be a number in range [0, 1] representing the probability of an "
                "element being zeroed"
            )
        if dropout > 0 and self.num_layers == 1:
            warnings.warn(
                "dropout option adds dropout after all but last recurrent layer, so non-zero "
                f"dropout expects num_layers greater than 1, but got dropout={dropout} and "
                f"num_layers={self.num_layers}",
                stacklevel=4,
            )
        for name in ("bias", "batch_first"):
            value = getattr(self, name)
            if not isinstance(value, bool):
                raise TypeError(f"{name} should be of type bool, got: {type(value).__name__}")
        for name in ("input_size", "hidden_size"):
            value = getattr(self, name)
            if not isinstance(value, int):
                raise TypeError(f"{name} should be of type int, got: {type(value).__name__}")
        for name in ("input_size", "hidden_size", "num_layers"):
            if getattr(self, name) <= 0:
                raise ValueError(f"{name} must be greater than zero")
        if self.proj_size < 0:
            raise ValueError(
                "proj_size should be a positive integer or zero to disable projections"
            )
        if self.proj_size >= self.hidden_size:
            raise ValueError("proj_size has to be smaller than hidden_size")

    def reset_parameters(self) -> None:
        """Draws all weights from U(-1/sqrt(H), 1/sqrt(H))."""
        limit = 1.0 / math.sqrt(self.hidden_size)
        for weight in self.parameters():
            init.uniform_(weight, -limit, limit)

    def flatten_parameters(self) -> None:
        """Does nothing: no backend needs the weights in one piece of memory."""

    @property
    def all_weights(self) -> list[list[Parameter]]:
        """The weights of each layer and direction."""
        names = ["weight_ih", "weight_hh"]
        if self.bias:
            names += ["bias_ih", "bias_hh"]
        if self.proj_size:
            names.append("weight_hr")
        return [
            [getattr(self, name + suffix) for name in names]
            for layer in range(self.num_layers)
            for suffix in self._suffixes(layer)
        ]

    def _step(self, suffix: str, share: Share) -> Step:
        raise NotImplementedError

    def _gates(self, suffix: str, steps: Tensor) -> Tensor:
        """The inputs' share of the gates of all steps (sum of lengths, G * H)."""
        bias = getattr(self, "bias_ih" + suffix) if self.bias else None
        if self.bias and not self._state_bias_apart:
            bias = bias + getattr(self, "bias_hh" + suffix)
        return linear(steps, getattr(self, "weight_ih" + suffix), bias)

    def _share(self, suffix: str, length: int) -> Share:
        apart = self.bias and self._state_bias_apart
        bias = getattr(self, "bias_hh" + suffix) if apart else None
        return state_share(getattr(self, "weight_hh" + suffix), bias, length)

    def _state_sizes(self) -> tuple[int, ...]:
        """The width of each tensor of a state."""
        return (self.hidden_size,)

    def _walk(self, steps: Tensor, batch_sizes: list[int], states: State) -> tuple[Tensor, State]:
        """All layers over packed steps (sum of lengths, inputs), from states (layers, B, *)."""
        last: list[State] = []
        for layer in range(self.num_layers):
            outputs = []
            for direction, suffix in enumerate(self._suffixes(layer)):
                step = self._step(suffix, self._share(suffix, len(batch_sizes)))
                place = layer * self._directions + direction
                start = tuple(part[place] for part in states)
                gates = self._gates(suffix, steps)
                output, end = run(step, gates, batch_sizes, start, direction == 1)
                outputs.append(output)
                last.append(end)
            steps = outputs[0] if len(outputs) == 1 else fb.cat(outputs, -1)
            if self.dropout and self.training and layer < self.num_layers - 1:
                steps = F.dropout(steps, self.dropout, True)
        return steps, tuple(fb.stack(list(parts)) for parts in zip(*last))

    def _forward(self, input: Any, states: State | None) -> tuple[Any, State]:
        if isinstance(input, PackedSequence):
            return self._forward_packed(input, states)
        if input.dim() not in (2, 3):
            raise ValueError(
                f"{type(self).__name__}: Expected input to be 2D or 3D, got {input.dim()}D tensor "
                "instead"
            )
        batched = input.dim() == 3
        batch_dim = 0 if self.batch_first else 1
        if not batched:
            input = input.unsqueeze(batch_dim)
            if states is not None:
                states = self._batched_states(states)
        elif states is not None:
            self._check_state_dims(states)
        steps_first = input.transpose(0, 1) if self.batch_first else input
        length, batch = steps_first.shape[:2]
        self._check_input(steps_first)
        states = self._start(states, batch, input)
        flat = steps_first.reshape(length * batch, steps_first.size(2))
        output, last = self._walk(flat, [batch] * length, states)
        output = output.reshape(length, batch, -1)
        if self.batch_first:
            output = output.transpose(0, 1)
        if not batched:
            output, last = output.squeeze(batch_dim), tuple(part.squeeze(1) for part in last)
        return output, last

    def _batched_states(self, states: State) -> State:
        for part in states:
            if part.dim() != 2:
                raise RuntimeError(
                    f"For unbatched 2-D input, hx should also be 2-D but got {part.dim()}-D tensor"
                )
        return tuple(part.unsqueeze(1) for part in states)

    def _check_state_dims(self, states: State) -> None:
        for part in states:
            if part.dim() != 3:
                raise RuntimeError(
                    f"For batched 3-D input, hx should also be 3-D but got {part.dim()}-D tensor"
                )

    def _forward_packed(
        self, input: PackedSequence, states: State | None
    ) -> tuple[PackedSequence, State]:
        sizes = [int(size) for size in input.batch_sizes.tolist()]
        self._check_input(input.data)
        if states is not None and input.sorted_indices is not None:
            order = input.sorted_indices
            states = tuple(part.index_select(1, order) for part in states)
        output, last = self._walk(input.data, sizes, self._start(states, sizes[0], input.data))
        if input.unsorted_indices is not None:
            order = input.unsorted_indices
            last = tuple(part.index_select(1, order) for part in last)
        return input.with_data(output), last

    def _check_input(self, input: Tensor) -> None:
        if input.size(-1) != self.input_size:
            raise RuntimeError(
                "input.size(-1) must be equal to input_size. Expected "
                f"{self.input_size}, got {input.size(-1)}"
            )
        dtype = self.weight_ih_l0.dtype
        if input.dtype != dtype and not fb.is_autocast_enabled():
            raise ValueError(
                f"RNN input dtype ({input.dtype}) does not match weight dtype ({dtype}). Convert "
                f"input: input.to({dtype}), or convert model: model.to({input.dtype})"
            )

    def _start(self, states: State | None, batch: int, like: Tensor) -> State:
        """The states to start from, zeros where none are given; RuntimeError for a wrong shape."""
        count = self.num_layers * self._directions
        shapes = [(count, batch, width) for width in self._state_sizes()]
        if states is None:
            return tuple(fb.zeros(shape, dtype=like.dtype, device=like.device) for shape in shapes)
        for place, (part, shape) in enumerate(zip(states, shapes)):
            if tuple(part.shape) != shape:
                name = "hidden" if len(shapes) == 1 else f"hidden[{place}]"
                raise RuntimeError(f"Expected {name} size {shape}, got {list(part.shape)}")
        return states

    def extra_repr(self) -> str:
        text = f"{self.input_size}, {self.hidden_size}"
        if self.proj_size:
            text += f", proj_size={self.proj_size}"
        if self.num_layers != 1:
            text += f", num_layers={self.num_layers}"
        if self.bias is not True:
            text += f", bias={self.bias}"
        if self.batch_first is not False:
            text += f", batch_first={self.batch_first}"
        if self.dropout:
            text += f", dropout={self.dropout}"
        if self.bidirectional is not False:
            text += f", bidirectional={self.bidirectional}"
        return text


class RNN(RNNBase):
    """Elman networks: h_t = tanh(W_ih x_t + b_ih + W_hh h_{t-1} + b_hh), or relu.

    Takes (T, B, I), (B, T, I) with `batch_first`, (T, I), or a PackedSequence, and a state
    (layers * directions, B, H); returns the outputs of the last layer and the last state.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if "proj_size" in kwargs:
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        # The nonlinearity stands fourth, as in PyTorch.
        arguments = list(args)
        nonlinearity = (
            arguments.pop(3) if len(arguments) > 3 else kwargs.pop("nonlinearity", "tanh")
        )
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(
                f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'."
            )
        super().__init__(f"RNN_{nonlinearity.upper()}", *arguments, **kwargs)
        self.nonlinearity = nonlinearity

    def _step(self, suffix: str, share: Share) -> Step:
        return rnn_step("tanh" if self.mode == "RNN_TANH" else "relu", share)

    def forward(self, input: Any, hx: Tensor | None = None) -> tuple[Any, Tensor]:
        output, (hidden,) = self._forward(input, None if hx is None else (hx,))
        return output, hidden


class GRU(RNNBase):
    """Gated recurrent units; Cho et al., 2014. Arguments and results as of `RNN`."""

    _state_bias_apart = True

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if "proj_size" in kwargs:
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        super().__init__("GRU", *args, **kwargs)

    def _step(self, suffix: str, share: Share) -> Step:
        return gru_step(share)

    def forward(self, input: Any, hx: Tensor | None = None) -> tuple[Any, Tensor]:
        output, (hidden,) = self._forward(input, None if hx is None else (hx,))
        return output, hidden


class LSTM(RNNBase):
    """Long short-term memory; Hochreiter and Schmidhuber, 1997.

    Takes input as `RNN`, and a pair of states: outputs (layers * directions, B, P or H) and cells
    (layers * directions, B, H). Returns the outputs of the last layer and the last pair. With
    `proj_size` P the output of every step is projected to P features.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__("LSTM", *args, **kwargs)

    def _state_sizes(self) -> tuple[int, ...]:
        return self.proj_size or self.hidden_size, self.hidden_size

    def _step(self, suffix: str, share: Share) -> Step:
        return lstm_step(share, getattr(self, "weight_hr" + suffix) if self.proj_size else None)

    def _batched_states(self, states: State) -> State:
        if any(part.dim() != 2 for part in states):
            raise RuntimeError(
                "For unbatched 2-D input, hx and cx should also be 2-D but got "
                f"({states[0].dim()}-D, {states[1].dim()}-D) tensors"
            )
        return tuple(part.unsqueeze(1) for part in states)

    def _check_state_dims(self, states: State) -> None:
        if any(part.dim() != 3 for part in states):
            raise RuntimeError(
                "For batched 3-D input, hx and cx should also be 3-D but got "
                f"({states[0].dim()}-D, {states[1].dim()}-D) tensors"
            )

    def forward(
        self, input: Any, hx: tuple[Tensor, Tensor] | None = None
    ) -> tuple[Any, tuple[Tensor, Tensor]]:
        output, (hidden, cell) = self._forward(input, None if hx is None else tuple(hx))
        return output, (hidden, cell)
