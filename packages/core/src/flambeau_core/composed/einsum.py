"""Einstein summation: parsing of equations and pairwise contraction by batched products."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import flambeau_core as fb
from flambeau_core.declare import op

# A dimension's label: a letter of the equation, or the place of an ellipsis dimension, counted
# from the right (so that the ellipses of two operands align as broadcasting does).
Label = str | int


class Term(NamedTuple):
    """One operand with a label for every dimension, no label twice."""

    tensor: fb.Tensor
    labels: list[Label]

    def sum_out(self, labels: Sequence[Label]) -> Term:
        if not labels:
            return self
        dims = [self.labels.index(label) for label in labels]
        kept = [label for label in self.labels if label not in labels]
        return Term(self.tensor.sum(dims, dtype=self.tensor.dtype), kept)

    def arranged(self, labels: Sequence[Label]) -> fb.Tensor:
        """The tensor with its dimensions in the order of ``labels``; absent ones get size 1."""
        present = [label for label in labels if label in self.labels]
        tensor = self.tensor.permute([self.labels.index(label) for label in present])
        for place, label in enumerate(labels):
            if label not in self.labels:
                tensor = tensor.unsqueeze(place)
        return tensor


@op("einsum(any equation, any* operands) -> Tensor", method=False)
def einsum(equation: Any, operands: Any) -> fb.Tensor:
    """Sums products of the operands' elements along the labels that the result lacks.

    ``equation`` is PyTorch's notation, for instance ``"bij,bjk->bik"``; letters may repeat within
    an operand (its diagonal), ``...`` stands for broadcast dimensions. Alternatively operands and
    lists of label numbers alternate, the result's list last. Operands are contracted from left to
    right. Raises RuntimeError if the equation is malformed or sizes do not match.
    """
    if isinstance(operands, fb.Tensor):
        operands = [operands]
    if not isinstance(equation, str):
        equation, operands = _from_sublists([equation, *operands])
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = operands[0]
    tensors = list(operands)
    if not tensors:
        raise RuntimeError("einsum(): must provide at least one operand")
    subscripts, output = _parse(equation, tensors)
    terms = [_diagonals(x, labels) for x, labels in zip(tensors, subscripts)]
    sizes = _label_sizes(terms)
    terms = [_without_broadcast_dims(term, sizes) for term in terms]
    return _contract(terms, output)


def _contract(terms: list[Term], output: list[Label]) -> fb.Tensor:
    result = terms[0]
    for place, term in enumerate(terms[1:], 1):
        wanted = set(output).union(*(later.labels for later in terms[place + 1 :]))
        result = _product(result, term, wanted)
    lacking = [label for label in result.labels if label not in output]
    if len(terms) == 1 and lacking:
        # Nothing was multiplied: an ordinary sum, of int64 for integers.
        dims = [result.labels.index(label) for label in lacking]
        kept = [label for label in result.labels if label in output]
        return Term(result.tensor.sum(dims), kept).arranged(output)
    return result.sum_out(lacking).arranged(output)


def _product(left: Term, right: Term, wanted: set[Label]) -> Term:
    """The product of two terms, summed over the labels that nobody wants any more."""
    left = left.sum_out([x for x in left.labels if x not in wanted and x not in right.labels])
    right = right.sum_out([x for x in right.labels if x not in wanted and x not in left.labels])
    shared = [label for label in left.labels if label in right.labels]
    batch = [label for label in shared if label in wanted]
    summed = [label for label in shared if label not in wanted]
    rows = [label for label in left.labels if label not in shared]
    columns = [label for label in right.labels if label not in shared]
    labels = [*batch, *rows, *columns]
    if not summed:
        return Term(left.arranged(labels) * right.arranged(labels), labels)
    a = left.arranged([*batch, *rows, *summed])
    b = right.arranged([*batch, *summed, *columns])
    shape = list(a.shape[: len(batch) + len(rows)]) + list(b.shape[len(batch) + len(summed) :])
    m, k, n = len(batch), len(batch) + len(rows), len(batch) + len(summed)
    count = _numel(a.shape[:m])
    depth = _numel(a.shape[k:])
    product = fb.bmm(
        a.reshape(count, _numel(a.shape[m:k]), depth), b.reshape(count, depth, _numel(b.shape[n:]))
    )
    return Term(product.reshape(shape), labels)


def _numel(shape: Sequence[int]) -> int:
    count = 1
    for length in shape:
        count *= length
    return count


def _diagonals(x: fb.Tensor, labels: Sequence[Label]) -> Term:
    """Takes the diagonal wherever a label repeats."""
    kept: list[Label] = []
    for label in labels:
        if label not in kept:
            kept.append(label)
            continue
        first, second = kept.index(label), len(kept)
        if x.shape[first] != x.shape[second]:
            raise RuntimeError(
                f"einsum(): subscript {label} is repeated for operand of shape {tuple(x.shape)}, "
                f"but the sizes don't match, {x.shape[first]} != {x.shape[second]}"
            )
        x = x.diagonal(0, first, second).movedim(-1, first)
    return Term(x, kept)


def _label_sizes(terms: Sequence[Term]) -> dict[Label, int]:
    sizes: dict[Label, int] = {}
    for term in terms:
        for label, length in zip(term.labels, term.tensor.shape):
            known = sizes.setdefault(label, length)
            if known == 1:
                sizes[label] = length
            elif length not in (1, known):
                raise RuntimeError(
                    f"einsum(): operands do not broadcast with remapped shapes: subscript {label} "
                    f"has sizes {known} and {length} in operands of shapes "
                    f"{[tuple(other.tensor.shape) for other in terms]}"
                )
    return sizes


def _without_broadcast_dims(term: Term, sizes: dict[Label, int]) -> Term:
    """Drops dimensions of size 1 that another operand has in full."""
    kept: list[Label] = []
    tensor = term.tensor
    for label in term.labels:
        if sizes[label] != 1 and tensor.shape[len(kept)] == 1:
            tensor = tensor.squeeze(len(kept))
        else:
            kept.append(label)
    return Term(tensor, kept)


def _parse(equation: str, operands: Sequence[fb.Tensor]) -> tuple[list[list[Label]], list[Label]]:
    """Labels of every operand's dimensions and of the result's."""
    inputs, arrow, result = equation.replace(" ", "").partition("->")
    parts = inputs.split(",")
    if len(parts) != len(operands):
        raise RuntimeError(
            f"einsum(): the equation '{equation}' has {len(parts)} operands, "
            f"but {len(operands)} were given"
        )
    subscripts = [_operand_labels(part, x) for part, x in zip(parts, operands)]
    dots = max(sum(isinstance(label, int) for label in labels) for labels in subscripts)
    ellipsis: list[Label] = list(range(dots, 0, -1))
    flat = [label for labels in subscripts for label in labels if isinstance(label, str)]
    if not arrow:
        return subscripts, ellipsis + sorted({x for x in flat if flat.count(x) == 1})
    output: list[Label] = []
    for symbol in _symbols(result):
        labels = ellipsis if symbol == "..." else [symbol]
        if symbol != "..." and symbol not in flat:
            raise RuntimeError(
                f"einsum(): output subscript {symbol} does not appear in the equation "
                f"'{equation}' for any input operand"
            )
        if any(label in output for label in labels):
            raise RuntimeError(
                f"einsum(): output subscript {symbol} appears more than once in '{equation}'"
            )
        output += labels
    return subscripts, output


def _operand_labels(part: str, x: fb.Tensor) -> list[Label]:
    symbols = _symbols(part)
    hidden = x.dim() - sum(symbol != "..." for symbol in symbols)
    if hidden < 0 or (hidden > 0 and "..." not in symbols):
        raise RuntimeError(
            f"einsum(): the number of subscripts in '{part}' does not match the number of "
            f"dimensions of an operand of shape {tuple(x.shape)}"
        )
    labels: list[Label] = []
    for symbol in symbols:
        labels += list(range(hidden, 0, -1)) if symbol == "..." else [symbol]
    return labels


def _symbols(part: str) -> list[str]:
    """The letters of one operand; an ellipsis is one symbol."""
    symbols = []
    before, dots, after = part.partition("...")
    for symbol in before + after:
        if not (symbol.isascii() and symbol.isalpha()):
            raise RuntimeError(f"einsum(): invalid subscript '{symbol}' in '{part}'")
    symbols += list(before)
    if dots:
        symbols.append("...")
    return symbols + list(after)


def _from_sublists(arguments: Sequence[Any]) -> tuple[str, list[fb.Tensor]]:
    """The equation for operands that alternate with lists of label numbers."""
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

    def subscript(labels: Sequence[Any]) -> str:
        text = ""
        for label in labels:
            if label is Ellipsis:
                text += "..."
            elif isinstance(label, int) and 0 <= label < len(letters):
                text += letters[label]
            else:
                raise ValueError(f"einsum(): expected a label in [0, 52) or ..., got {label!r}")
        return text

    if len(arguments) < 2:
        raise ValueError("einsum(): must specify the equation string and at least one operand")
    pairs = len(arguments) // 2
    operands = [arguments[2 * i] for i in range(pairs)]
    equation = ",".join(subscript(arguments[2 * i + 1]) for i in range(pairs))
    if len(arguments) % 2:
        equation += "->" + subscript(arguments[-1])
    return equation, operands
