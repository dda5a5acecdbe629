"""Sequences of different lengths: padded to one tensor, or packed without the padding."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import flambeau_core as fb
from flambeau_core import Tensor

__all__ = [
    "PackedSequence",
    "invert_permutation",
    "pack_padded_sequence",
    "pack_sequence",
    "pad_packed_sequence",
    "pad_sequence",
    "unpack_sequence",
    "unpad_sequence",
]


class _Packed(NamedTuple):
    data: Tensor
    batch_sizes: Tensor
    sorted_indices: Tensor | None
    unsorted_indices: Tensor | None


class PackedSequence(_Packed):
    """The steps of several sequences, step by step, those of the longest sequence first.

    `data` (sum of lengths, *) holds `batch_sizes[t]` rows for step t. `sorted_indices` says where
    the sequences stood before they were ordered by length, `unsorted_indices` undoes that.
    """

    def __new__(
        cls,
        data: Tensor,
        batch_sizes: Tensor | None = None,
        sorted_indices: Tensor | None = None,
        unsorted_indices: Tensor | None = None,
    ) -> PackedSequence:
        if batch_sizes is None:
            raise ValueError("batch_sizes must be given")
        if batch_sizes.device.type != "cpu":
            raise ValueError(
                "batch_sizes should always be on CPU. Instances of PackedSequence should never be "
                "created manually. They should be instantiated by functions like "
                "pack_sequence and pack_padded_sequences in nn.utils.rnn."
            )
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def with_data(self, data: Tensor) -> PackedSequence:
        """The same lengths and order with other data."""
        return type(self)(data, self.batch_sizes, self.sorted_indices, self.unsorted_indices)

    def to(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """Moves or casts the data, as `Tensor.to`; the indices follow to the device."""
        data = self.data.to(*args, **kwargs)

        def follow(indices: Tensor | None) -> Tensor | None:
            return None if indices is None else indices.to(data.device)

        return type(self)(
            data, self.batch_sizes, follow(self.sorted_indices), follow(self.unsorted_indices)
        )

    def cpu(self) -> PackedSequence:
        """Moves to the CPU."""
        return self.to("cpu")

    def cuda(self, device: Any = "cuda") -> PackedSequence:
        """Moves to a CUDA device."""
        return self.to(device)

    def float(self) -> PackedSequence:
        """Casts the data to float32."""
        return self.to(fb.float32)

    def double(self) -> PackedSequence:
        """Casts the data to float64."""
        return self.to(fb.float64)

    @property
    def is_cuda(self) -> bool:
        """Whether the data is on a CUDA device."""
        return self.data.device.type == "cuda"


def invert_permutation(permutation: Tensor | None) -> Tensor | None:
    """The permutation that undoes another."""
    if permutation is None:
        return None
    places = fb.arange(permutation.numel(), device=permutation.device)
    return fb.empty_like(permutation).scatter_(0, permutation, places)


def pack_padded_sequence(
    input: Tensor,
    lengths: Tensor | Sequence[int],
    batch_first: bool = False,
    enforce_sorted: bool = True,
) -> PackedSequence:
    """Packs (T, B, *) padded sequences, or (B, T, *) with `batch_first`, of the given lengths.

    With `enforce_sorted` the lengths must already decrease. Raises RuntimeError for lengths that
    do not fit.
    """
    numbers = [int(n) for n in (lengths.tolist() if isinstance(lengths, Tensor) else lengths)]
    sorted_indices = None
    if not enforce_sorted:
        order = sorted(range(len(numbers)), key=lambda i: -numbers[i])
        numbers = [numbers[i] for i in order]
        sorted_indices = fb.tensor(order, dtype=fb.int64, device=input.device)
        input = input.index_select(0 if batch_first else 1, sorted_indices)
    steps_first = input.transpose(0, 1) if batch_first else input
    _check_lengths(numbers, steps_first)
    sizes = [sum(1 for n in numbers if n > step) for step in range(numbers[0])]
    pieces = [steps_first[step, :size] for step, size in enumerate(sizes)]
    return PackedSequence(fb.cat(pieces), fb.tensor(sizes, dtype=fb.int64), sorted_indices)


def _check_lengths(lengths: list[int], steps_first: Tensor) -> None:
    if len(lengths) != steps_first.size(1):
        raise RuntimeError(
            f"Expected `len(lengths)` to be equal to batch_size, but got {len(lengths)} "
            f"(batch_size={steps_first.size(1)})"
        )
    if any(a < b for a, b in zip(lengths, lengths[1:])):
        raise RuntimeError(
            "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You "
            "can pass `enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to "
            "sidestep this requirement if you do not need ONNX exportability."
        )
    if not lengths or lengths[-1] <= 0:
        raise RuntimeError(
            "Length of all samples has to be greater than 0, but found an element in 'lengths' "
            "that is <= 0"
        )
    if lengths[0] > steps_first.size(0):
        raise RuntimeError(
            f"Expected every length to be at most the padded length {steps_first.size(0)}, but got "
            f"{lengths[0]}"
        )


def pad_packed_sequence(
    sequence: PackedSequence,
    batch_first: bool = False,
    padding_value: float = 0.0,
    total_length: int | None = None,
) -> tuple[Tensor, Tensor]:
    """The padded tensor (T, B, *), or (B, T, *), of a packed one, and the lengths.

    `total_length` pads further; ValueError when it is less than the longest sequence.
    """
    sizes = [int(n) for n in sequence.batch_sizes.tolist()]
    longest = len(sizes)
    if total_length is not None:
        if total_length < longest:
            raise ValueError(
                "Expected total_length to be at least the length of the longest sequence in input, "
                f"but got total_length={total_length} and max sequence length being {longest}"
            )
        longest = total_length
    shape = (longest, sizes[0], *sequence.data.shape[1:])
    padded = fb.full(shape, padding_value, dtype=sequence.data.dtype, device=sequence.data.device)
    start = 0
    for step, size in enumerate(sizes):
        padded[step, :size] = sequence.data[start : start + size]
        start += size
    lengths = [sum(1 for size in sizes if size > place) for place in range(sizes[0])]
    lengths_tensor = fb.tensor(lengths, dtype=fb.int64)
    if batch_first:
        padded = padded.transpose(0, 1)
    if sequence.unsorted_indices is not None:
        padded = padded.index_select(0 if batch_first else 1, sequence.unsorted_indices)
        lengths_tensor = lengths_tensor.index_select(0, sequence.unsorted_indices.cpu())
    return padded, lengths_tensor


def pad_sequence(
    sequences: Tensor | Iterable[Tensor],
    batch_first: bool = False,
    padding_value: float = 0.0,
    padding_side: str = "right",
) -> Tensor:
    """Tensors (L_i, *) as one (T, B, *), or (B, T, *), filled up at one side."""
    if padding_side not in ("left", "right"):
        raise RuntimeError(f"padding_side must be 'left' or 'right', but got {padding_side!r}")
    if not isinstance(sequences, (Tensor, list, tuple)) and not isinstance(sequences, Iterable):
        raise RuntimeError(
            f"pad_sequence: Expected iterable for input sequences, but got arg of type: "
            f"{type(sequences)}"
        )
    listed = list(sequences)
    if not listed:
        raise RuntimeError("received an empty list of sequences")
    longest = max(sequence.size(0) for sequence in listed)
    rest = tuple(listed[0].shape[1:])
    shape = (len(listed), longest, *rest) if batch_first else (longest, len(listed), *rest)
    padded = fb.full(shape, padding_value, dtype=listed[0].dtype, device=listed[0].device)
    for place, sequence in enumerate(listed):
        length = sequence.size(0)
        steps = slice(0, length) if padding_side == "right" else slice(longest - length, longest)
        padded[(place, steps) if batch_first else (steps, place)] = sequence
    return padded


def unpad_sequence(
    padded_sequences: Tensor, lengths: Tensor, batch_first: bool = False
) -> list[Tensor]:
    """The sequences of a padded tensor, each cut to its length."""
    rows = padded_sequences if batch_first else padded_sequences.transpose(0, 1)
    return [row[:length] for row, length in zip(rows, lengths.tolist())]


def pack_sequence(sequences: Sequence[Tensor], enforce_sorted: bool = True) -> PackedSequence:
    """Packs tensors (L_i, *)."""
    lengths = [sequence.size(0) for sequence in sequences]
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences: PackedSequence) -> list[Tensor]:
    """The tensors that `pack_sequence` packed."""
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)
