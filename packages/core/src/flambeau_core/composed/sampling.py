"""Random numbers from further distributions, made from uniform and normal ones."""

from __future__ import annotations

from typing import Any

import flambeau_core as fb
from flambeau_core.declare import op


def _uniform(x: fb.Tensor, generator: Any) -> fb.Tensor:
    """Uniform numbers from [0, 1) in the shape of ``x``, in float32 if ``x`` is narrower."""
    dtype = fb.float64 if x.dtype == fb.float64 else fb.float32
    return fb.rand(x.shape, generator=generator, dtype=dtype, device=x.device)


def _require_floating(name: str, x: fb.Tensor) -> None:
    if not x.is_floating_point():
        raise RuntimeError(f'"{name}" not implemented for {x.dtype}')


def _filled(x: fb.Tensor, values: fb.Tensor) -> fb.Tensor:
    with fb.no_grad():
        values = values.to(x.dtype)
    return x.copy_(values)


def _bernoulli(x: fb.Tensor, p: Any, generator: Any) -> fb.Tensor:
    """True with probability ``p`` in the shape of ``x``."""
    if isinstance(p, fb.Tensor):
        _require_floating("bernoulli", p)
        if p.numel() and not bool(((p >= 0) & (p <= 1)).all()):
            raise RuntimeError("bernoulli: expected all elements of p to be >= 0 and <= 1")
        p = p.detach()
    elif not 0 <= p <= 1:
        raise RuntimeError(f"bernoulli: expects p to be in [0, 1], but got p={p}")
    return _uniform(x, generator) < p


@op("bernoulli(Tensor self, float? p=None, *, Generator? generator=None) -> Tensor")
def bernoulli(self: fb.Tensor, p: float | None, generator: Any) -> fb.Tensor:
    """Ones with the probability that each element gives (or ``p`` for all), zeros otherwise."""
    if p is None:
        _require_floating("bernoulli", self)
    drawn = _bernoulli(self, self if p is None else p, generator).to(self.dtype)
    if not self.requires_grad:
        return drawn
    # The probabilities are differentiable inputs, whose gradient is zero.
    return drawn + self.masked_fill(fb.ones_like(self, dtype=fb.bool), 0)


@op(
    "bernoulli_(Tensor self, Operand p=0.5, *, Generator? generator=None) -> Tensor",
    function=False,
)
def bernoulli_(self: fb.Tensor, p: Any, generator: Any) -> fb.Tensor:
    """Fills with ones with probability ``p``, a number or a tensor that broadcasts."""
    return _filled(self, _bernoulli(self, p, generator))


@op(
    "multinomial(Tensor self, int num_samples, bool replacement=False, *,"
    " Generator? generator=None) -> Tensor",
    exact_out=True,
)
def multinomial(self: fb.Tensor, num_samples: int, replacement: bool, generator: Any) -> fb.Tensor:
    """Indices drawn with probabilities in proportion to the weights ``(n,)`` or ``(rows, n)``.

    Without replacement by an exponential race (the order of ``weight / exponential``).
    """
    if self.dim() not in (1, 2):
        raise RuntimeError(
            f"multinomial: prob_dist must be 1 or 2 dim, got shape {tuple(self.shape)}"
        )
    if not self.is_floating_point():
        raise RuntimeError(f"multinomial: only supports floating-point dtypes, got {self.dtype}")
    if num_samples <= 0:
        raise RuntimeError(f"multinomial: cannot sample n_sample <= 0 samples, got {num_samples}")
    if not replacement and num_samples > self.shape[-1]:
        raise RuntimeError(
            f"multinomial: cannot sample n_sample > prob_dist.size(-1) samples without "
            f"replacement, got {num_samples} of {self.shape[-1]}"
        )
    weights = self.detach().to(fb.float64)
    if not bool((weights.isfinite() & (weights >= 0)).all()):
        raise RuntimeError(
            "multinomial: probability tensor contains either inf, nan or element < 0"
        )
    total = weights.sum(-1, True)
    if not bool((total > 0).all()):
        raise RuntimeError("multinomial: invalid multinomial distribution (sum of weights <= 0)")
    if replacement:
        levels = weights.cumsum(-1)
        levels = levels / levels.narrow(-1, levels.shape[-1] - 1, 1)
        draws = fb.rand(
            [*weights.shape[:-1], num_samples],
            generator=generator,
            dtype=fb.float64,
            device=self.device,
        )
        return fb.searchsorted(levels, draws, right=True)
    race = weights / _exponential(weights, 1.0, generator)
    return race.topk(num_samples, -1).indices


def _exponential(x: fb.Tensor, lambd: float, generator: Any) -> fb.Tensor:
    # 1 - u lies in (0, 1], so that the logarithm is finite.
    return -(1 - _uniform(x, generator)).log() / lambd


@op(
    "exponential_(Tensor self, float lambd=1.0, *, Generator? generator=None) -> Tensor",
    function=False,
)
def exponential_(self: fb.Tensor, lambd: float, generator: Any) -> fb.Tensor:
    """Fills from the exponential distribution with rate ``lambd``."""
    if lambd <= 0:
        raise RuntimeError(f"exponential_: expects lambda > 0.0, but found lambda={lambd}")
    _require_floating("exponential_", self)
    return _filled(self, _exponential(self, lambd, generator))


@op(
    "geometric_(Tensor self, float p, *, Generator? generator=None) -> Tensor",
    function=False,
)
def geometric_(self: fb.Tensor, p: float, generator: Any) -> fb.Tensor:
    """Fills with the number of trials up to the first success of probability ``p``."""
    if not 0 < p < 1:
        raise RuntimeError(f"geometric_: expects p to be in (0, 1), but got p={p}")
    trials = (1 - _uniform(self, generator)).log() / fb.tensor(1 - p, dtype=fb.float64).log().item()
    return _filled(self, trials.ceil().clamp(min=1))


@op(
    "cauchy_(Tensor self, float median=0.0, float sigma=1.0, *, Generator? generator=None)"
    " -> Tensor",
    function=False,
)
def cauchy_(self: fb.Tensor, median: float, sigma: float, generator: Any) -> fb.Tensor:
    """Fills from the Cauchy distribution."""
    if sigma <= 0:
        raise RuntimeError(f"cauchy_: expects sigma > 0.0, but found sigma={sigma}")
    _require_floating("cauchy_", self)
    angle = (_uniform(self, generator) - 0.5) * 3.141592653589793
    return _filled(self, angle.tan() * sigma + median)


@op(
    "log_normal_(Tensor self, float mean=1.0, float std=2.0, *, Generator? generator=None)"
    " -> Tensor",
    function=False,
)
def log_normal_(self: fb.Tensor, mean: float, std: float, generator: Any) -> fb.Tensor:
    """Fills with exponentials of normal numbers of the given mean and standard deviation."""
    if std <= 0:
        raise RuntimeError(f"log_normal_: expects std > 0.0, but found std={std}")
    _require_floating("log_normal_", self)
    dtype = fb.float64 if self.dtype == fb.float64 else fb.float32
    unit = fb.randn(self.shape, generator=generator, dtype=dtype, device=self.device)
    return _filled(self, (unit * std + mean).exp())
