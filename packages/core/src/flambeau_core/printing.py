"""How tensors print: the text of ``repr(tensor)`` and its options."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import flambeau_core as fb
from flambeau_core.parameter_type import get_parameter_type

PROFILES: dict[str, dict[str, Any]] = {
    "default": {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80},
    "short": {"precision": 2, "threshold": 1000, "edgeitems": 2, "linewidth": 80},
    "full": {"precision": 4, "threshold": math.inf, "edgeitems": 3, "linewidth": 80},
}

_options: dict[str, Any] = {**PROFILES["default"], "sci_mode": None}


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Sets how tensors print.

    Args:
        precision: digits after the point (default 4).
        threshold: tensors with more elements are abbreviated (default 1000).
        edgeitems: elements shown at each end of an abbreviated dimension (default 3).
        linewidth: characters a line (default 80).
        profile: ``"default"``, ``"short"`` or ``"full"``; the other arguments override it.
        sci_mode: scientific notation always (True), never (False) or as needed (None).

    Example:

        >>> import flambeau as torch
        >>> torch.set_printoptions(precision=2)
        >>> torch.tensor(3.14159)
        tensor(3.14)
        >>> torch.set_printoptions(profile="default")
    """
    if profile is not None:
        if profile not in PROFILES:
            raise ValueError(f"profile must be one of {', '.join(PROFILES)}, got {profile!r}")
        _options.update(PROFILES[profile])
    given = {
        "precision": precision,
        "threshold": threshold,
        "edgeitems": edgeitems,
        "linewidth": linewidth,
    }
    _options.update({name: value for name, value in given.items() if value is not None})
    _options["sci_mode"] = sci_mode


def get_printoptions() -> dict[str, Any]:
    """The settings that set_printoptions changes, as a dict.

    Example:

        >>> import flambeau as torch
        >>> torch.get_printoptions()["precision"]
        4
    """
    return dict(_options)


class NumberFormat:
    """One width and notation for all the numbers of a tensor."""

    def __init__(self, numbers: list[Any]) -> None:
        self.floating = bool(numbers) and isinstance(numbers[0], float)
        self.integral = True
        self.scientific = False
        self.width = 1
        if self.floating:
            self.measure([x for x in numbers if x != 0 and math.isfinite(x)])
        else:
            self.width = max((len(str(x)) for x in numbers), default=1)

    def measure(self, numbers: list[float]) -> None:
        """Takes notation and width from the finite numbers other than zero."""
        if not numbers:
            return
        smallest = min(abs(x) for x in numbers)
        largest = max(abs(x) for x in numbers)
        self.integral = all(x == math.floor(x) for x in numbers)
        wide_range = largest / smallest > 1000.0 or largest > 1.0e8
        self.scientific = wide_range or (not self.integral and smallest < 1.0e-4)
        if _options["sci_mode"] is not None:
            self.scientific = _options["sci_mode"]
        self.width = max(len(self.digits(x)) for x in numbers)

    def digits(self, number: float) -> str:
        if self.scientific:
            return f"{number:.{_options['precision']}e}"
        if self.integral:
            return f"{number:.0f}." if math.isfinite(number) else f"{number:.0f}"
        return f"{number:.{_options['precision']}f}"

    def __call__(self, number: Any) -> str:
        text = self.digits(number) if self.floating else str(number)
        return text.rjust(self.width)


class ComplexFormat:
    """Real and imaginary parts, each with a width and notation of its own."""

    def __init__(self, numbers: list[complex]) -> None:
        self.real = NumberFormat([x.real for x in numbers])
        self.imag = NumberFormat([x.imag for x in numbers])
        self.width = self.real.width + self.imag.width + 1

    def __call__(self, number: complex) -> str:
        imag = self.imag(number.imag).lstrip() + "j"
        return self.real(number.real) + ("" if imag[0] in "+-" else "+") + imag


def shown(tensor: Any, abbreviate: bool) -> Any:
    """The elements to print as nested lists; an Ellipsis stands for those left out."""
    edge = _options["edgeitems"]
    if not abbreviate:
        return tensor.tolist()
    if tensor.dim() == 0:
        return tensor.tolist()
    if tensor.shape[0] <= 2 * edge:
        return [shown(tensor[i], True) for i in range(tensor.shape[0])]
    size = tensor.shape[0]
    head = [shown(tensor[i], True) for i in range(edge)]
    tail = [shown(tensor[i], True) for i in range(size - edge, size)]
    return [*head, ..., *tail]


def leaves(elements: Any) -> Iterator[Any]:
    """The numbers in nested lists."""
    if isinstance(elements, list):
        for element in elements:
            yield from leaves(element)
    elif elements is not ...:
        yield elements


def block(elements: Any, dim: int, indent: int, write: Any) -> str:
    """Nested brackets around the numbers, a blank line between matrices."""
    if dim == 0:
        return str(write(elements))
    if dim == 1:
        return row(elements, indent, write)
    parts = ["..." if e is ... else block(e, dim - 1, indent + 1, write) for e in elements]
    return "[" + ("," + "\n" * (dim - 1) + " " * (indent + 1)).join(parts) + "]"


def row(elements: list[Any], indent: int, write: Any) -> str:
    texts = [" ..." if e is ... else write(e) for e in elements]
    per_line = max(1, (_options["linewidth"] - indent) // (write.width + 2))
    lines = [", ".join(texts[i : i + per_line]) for i in range(0, len(texts), per_line)]
    return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"


def numbers_text(tensor: Any, indent: int) -> str:
    elements = shown(tensor, tensor.numel() > _options["threshold"])
    numbers = list(leaves(elements))
    is_complex = bool(numbers) and isinstance(numbers[0], complex)
    write = ComplexFormat(numbers) if is_complex else NumberFormat(numbers)
    return block(elements, tensor.dim(), indent, write)


def suffixes(tensor: Any) -> list[str]:
    """What follows the numbers: size, device, dtype and autograd, where not evident."""
    default = fb.get_default_dtype()
    texts = []
    if tensor.device.type != "cpu":
        texts.append(f"device='{tensor.device}'")
    if tensor.numel() == 0:
        if tensor.dim() != 1:
            texts.append(f"size={tuple(tensor.shape)}")
        evident: tuple[Any, ...] = (default,)
    else:
        default_complex = fb.complex128 if default == fb.float64 else fb.complex64
        evident = (default, default_complex, fb.int64, fb.bool)
    if tensor.dtype not in evident:
        texts.append(f"dtype={tensor.dtype}")
    if tensor.grad_fn is not None:
        texts.append(f"grad_fn=<{tensor.grad_fn.name()}>")
    elif tensor.requires_grad:
        texts.append("requires_grad=True")
    return texts


def plain(tensor: Any) -> bool:
    """Whether it prints as ``tensor(...)`` rather than under the name of its class."""
    return type(tensor) in (fb.Tensor, get_parameter_type())


def tensor_str(tensor: Any) -> str:
    """The text of ``repr(tensor)``."""
    prefix = "tensor(" if plain(tensor) else f"{type(tensor).__name__}("
    indent = len(prefix)
    values = tensor.detach()
    text = prefix + (numbers_text(values, indent) if values.numel() else "[]")
    used = len(text) - text.rfind("\n") + 1
    for suffix in suffixes(tensor):
        if used + len(suffix) + 2 > _options["linewidth"]:
            text += ",\n" + " " * indent + suffix
            used = indent + len(suffix)
        else:
            text += ", " + suffix
            used += len(suffix) + 2
    return text + ")"
