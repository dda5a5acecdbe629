"""Random calls of every op: whatever the arguments, an answer or an exception, and no more.

The arguments are drawn from the ops' own schemas by a generator whose seed is the op's name and
the number of the call, in a process of its own, so that one that dies names its call.
"""

from __future__ import annotations

import math
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import flambeau_core as fb

CALLS_OF_AN_OP = 24
SECONDS_OF_A_CALL = 20

SPACES: dict[str, Any] = {
    "": fb,
    "Tensor": fb.Tensor,
    "nn": fb.nn_ops,
    "optim": fb.optim_ops,
    "linalg": fb.linalg,
    "fft": fb.fft,
    "special": fb.special,
}
FLOATS = [fb.float32, fb.float64, fb.float16, fb.bfloat16]
INTEGERS = [fb.int64, fb.int32, fb.int16, fb.int8, fb.uint8]
DTYPES = [*FLOATS, *INTEGERS, fb.bool, fb.complex64, fb.complex128]
SHAPES: list[tuple[int, ...]] = [
    (), (1,), (3,), (2, 3), (3, 3), (2, 3, 4), (2, 1, 4), (0,), (2, 0, 3), (3, 0), (2, 3, 4, 5),
    (1, 2, 5, 5), (17,), (5, 33), (2, 2, 3, 4, 3),
]  # fmt: skip
NUMBERS: list[Any] = [
    0, 1, -1, 2, 0.5, True, math.nan, math.inf, -math.inf, 2**62, -(2**63), 2**63, 10**40, 1 + 2j,
    1e300, 70000,
]  # fmt: skip
EXTREMES = [-1, 0, 7, -100, 2**31, 2**62, 2**63 - 1, -(2**63), 2**63]
LISTS: list[Any] = [[], [0], [-1], [2**62, 4], [1] * 70, [2**33, 2**33], [-1, -1], [2, 3], 1, [1]]
WORDS = ["mean", "sum", "none", "prod", "amax", "reflect", "nearest", "tanh", "same", "add", ""]
OTHERS: list[Any] = [None, "x", b"x", [], {}, object(), 1.5, [None], [[1], [2, 3]], int, range(3)]
# Sizes that a process could well be asked for, but not in a test.
COUNTS = (
    "chunks",
    "sections",
    "n",
    "steps",
    "num_samples",
    "indices_or_sections",
    "bins",
    "indices",
)


class Arguments:
    """The arguments of one call, all of about one shape and dtype so that many calls succeed."""

    def __init__(self, seed: str) -> None:
        self.draw = random.Random(seed)
        self.shape = self.draw.choice(SHAPES)
        self.dtype = self.draw.choice(DTYPES)
        self.tensors: list[fb.Tensor] = []

    def of(self, schema: str) -> tuple[list[Any], dict[str, Any]]:
        args: list[Any] = []
        named: dict[str, Any] = {}
        positional = True
        for kind, name, optional in parameters(schema):
            if kind == "*":
                positional = False
                continue
            if optional and self.draw.random() < 0.5 + 0.4 * (name == "out"):
                positional = False
                continue
            value = self.value(kind, name)
            if positional:
                args.append(value)
            else:
                named[name] = value
        return args, named

    def value(self, kind: str, name: str) -> Any:
        draw = self.draw
        if draw.random() < 0.06:
            return draw.choice(OTHERS)
        if kind.startswith("Tensor[]"):
            return [self.tensor(name) for _ in range(draw.randrange(4))]
        if kind.startswith("Tensor") or name == "out":
            return self.tensor(name)
        if kind.startswith("Operand"):
            return self.tensor(name) if draw.random() < 0.7 else draw.choice(NUMBERS)
        if kind.startswith("int[]"):
            return self.integers(name)
        if kind.startswith("int"):
            return self.integer(name)
        if kind.startswith("bool"):
            return draw.random() < 0.5
        if kind.startswith("str"):
            return draw.choice(WORDS)
        if kind.startswith("dtype"):
            return draw.choice(DTYPES)
        if kind.startswith("device"):
            return draw.choice(["cpu", "cpu", "cpu:1", "meta", "nonsense", -1])
        if kind.startswith("Generator"):
            return fb.Generator()
        if kind.startswith("any"):
            return draw.choice([self.tensor(name), self.integer(name), self.integers(name)])
        return draw.choice(NUMBERS)

    def integer(self, name: str) -> int:
        if self.draw.random() < 0.2 and name not in COUNTS:
            return self.draw.choice(EXTREMES)
        if name.startswith("dim") and self.shape:
            return self.draw.randrange(-len(self.shape), len(self.shape))
        return self.draw.choice([0, 1, 1, 2, 3, -1])

    def integers(self, name: str) -> Any:
        if self.draw.random() < 0.2:
            return self.draw.choice(LISTS)
        rank = len(self.shape)
        if name.startswith("dim"):
            return self.draw.sample(range(rank), self.draw.randrange(rank + 1))
        if name in ("size", "shape"):
            return list(self.shape)
        return [self.draw.choice([0, 1, 2, 3]) for _ in range(self.draw.randrange(rank + 2))]

    def tensor(self, name: str) -> fb.Tensor:
        draw = self.draw
        shape = self.shape if draw.random() < 0.7 else draw.choice(SHAPES)
        dtype = self.dtype if draw.random() < 0.85 else draw.choice(DTYPES)
        if name in ("index", "target", "indices") and draw.random() < 0.8:
            dtype = fb.int64
        count = math.prod(shape)
        if dtype in INTEGERS:
            values: list[Any] = [draw.randrange(0, 5) for _ in range(count)]
            if count and dtype is fb.int64 and draw.random() < 0.1:
                values[0] = draw.choice([-3, 2**31, 2**62, -(2**63)])
        else:
            values = [draw.uniform(-3, 3) for _ in range(count)]
            if count and draw.random() < 0.1:
                values[0] = draw.choice([math.nan, math.inf, -math.inf])
        x = self.laid_out(fb.tensor(values, dtype=dtype).reshape(shape))
        if x.is_floating_point() and draw.random() < 0.4:
            x.requires_grad_()
        self.tensors.append(x)
        return x

    def laid_out(self, x: fb.Tensor) -> fb.Tensor:
        """The same shape over memory with gaps, in another order, spread or overlapping."""
        how = self.draw.randrange(8)
        if how == 0 and x.dim():
            return fb.stack([x, x], -1)[..., 0]
        if how == 1 and x.dim() > 1:
            return x.transpose(0, -1).contiguous().transpose(0, -1)
        if how == 2 and x.dim() and x.shape[0]:
            return x[:1].expand(x.shape)
        if how == 3 and x.dim() > 1 and sum(x.shape) - x.dim() < x.numel():
            return x.as_strided(x.shape, [1] * x.dim())
        return x


def parameters(schema: str) -> Iterator[tuple[str, str, bool]]:
    """Kind, name and whether it has a default; a star where the keyword-only ones begin."""
    depth, part = 0, ""
    for c in schema[schema.index("(") + 1 : schema.rindex(")")] + ",":
        depth += (c == "[") - (c == "]")
        if c != "," or depth:
            part += c
            continue
        left, default, _ = part.strip().partition("=")
        kind, _, name = left.strip().rpartition(" ")
        if name:
            yield (kind or "*", name, bool(default))
        part = ""


def ops() -> Iterator[tuple[str, str]]:
    for space, home in SPACES.items():
        for name in sorted(dir(home)):
            if hasattr(getattr(home, name, None), "schemas"):
                yield space, name


def every_tensor(x: Any) -> Iterator[fb.Tensor]:
    if isinstance(x, fb.Tensor):
        yield x
    elif isinstance(x, list | tuple):
        for part in x:
            yield from every_tensor(part)


def call(space: str, name: str, number: int) -> None:
    function = getattr(SPACES[space], name)
    arguments = Arguments(f"{space}.{name}.{number}")
    args, named = arguments.of(arguments.draw.choice(function.schemas))
    results = list(every_tensor(function(*args, **named)))
    for x in results:
        if x.numel() < 10000:
            x.tolist()
    losses = [x for x in results if x.requires_grad and x.numel() < 10000]
    leaves = [x for x in arguments.tensors if x.requires_grad and x.is_leaf]
    if losses and leaves:
        total = sum(x.float().sum() for x in losses if not x.is_complex())
        if isinstance(total, fb.Tensor):
            fb.autograd.grad(total, leaves, allow_unused=True)


def run_all() -> None:
    """In the process of its own: says each call before it makes it."""
    import faulthandler
    import resource
    import warnings

    warnings.simplefilter("ignore")
    # The address sanitizer reserves terabytes and has a limit of its own; it is also slow.
    sanitized = "libasan" in os.environ.get("LD_PRELOAD", "")
    if not sanitized:
        resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
    everything = [(*op, number) for op in ops() for number in range(CALLS_OF_AN_OP)]
    for space, name, number in everything:
        print(space or "flambeau", name, number, flush=True)
        faulthandler.dump_traceback_later(SECONDS_OF_A_CALL * (10 if sanitized else 1), exit=True)
        try:
            call(space, name, number)
        except (
            TypeError, ValueError, RuntimeError, IndexError, AttributeError, MemoryError,
            ZeroDivisionError, OverflowError,
        ):  # fmt: skip
            pass
    print("done", flush=True)


def test_every_call_answers_or_raises() -> None:
    pytest.importorskip("resource", reason="the memory of the process is limited by setrlimit")
    source = Path(__file__)
    command = f"import sys; sys.path.insert(0, {str(source.parent)!r}); "
    command += f"import {source.stem} as calls; calls.run_all()"
    ended = subprocess.run(
        [sys.executable, "-c", command],
        capture_output=True,
        text=True,
        errors="replace",
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "OMP_NUM_THREADS": "1"},
    )
    last = ended.stdout.strip().rpartition("\n")[2]
    assert last == "done" and ended.returncode == 0, (
        f"call {last!r} ended the process with status {ended.returncode}:\n{ended.stderr[-2000:]}"
    )
