"""A step length along a descent direction that satisfies the strong Wolfe conditions.

Bracketing and sectioning as in Nocedal and Wright, "Numerical Optimization", algorithms 3.5 and
3.6, with cubic interpolation; the safeguards are those of M. Schmidt's minFunc.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

_SUFFICIENT_DECREASE = 1e-4
_CURVATURE = 0.9
_MAX_ITERATIONS = 25


@dataclass(frozen=True)
class Trial:
    """The objective at one step length: value, gradient, and derivative along the direction."""

    t: float
    value: float
    gradient: Any
    slope: float


def strong_wolfe(
    evaluate: Callable[[float], Trial], start: Trial, t: float, scale: float, tolerance: float
) -> tuple[Trial, int]:
    """Search from ``start`` (step length 0), trying ``t`` first.

    Args:
        evaluate: the trial of a step length.
        scale: the largest element of the direction; a bracket whose length times it falls below
            ``tolerance`` is narrow enough.

    Returns:
        The best trial, and how many were evaluated.
    """
    search = _Search(evaluate, start)
    bracket = search.bracket(t)
    if len(bracket) == 1:
        return bracket[0], search.evaluations
    return search.zoom(bracket, scale, tolerance), search.evaluations


class _Search:
    def __init__(self, evaluate: Callable[[float], Trial], start: Trial) -> None:
        self._evaluate = evaluate
        self._start = start
        self._iterations = 0
        self.evaluations = 0

    def _try(self, t: float) -> Trial:
        self.evaluations += 1
        return self._evaluate(t)

    def _too_high(self, trial: Trial) -> bool:
        start = self._start
        return trial.value > start.value + _SUFFICIENT_DECREASE * trial.t * start.slope

    def _flat_enough(self, trial: Trial) -> bool:
        return abs(trial.slope) <= -_CURVATURE * self._start.slope

    def bracket(self, t: float) -> list[Trial]:
        """Walk outwards: one trial that is good already, or two with a good one between."""
        before, now = self._start, self._try(t)
        while self._iterations < _MAX_ITERATIONS:
            rising = self._iterations > 1 and now.value >= before.value
            if self._too_high(now) or rising:
                return [before, now]
            if self._flat_enough(now):
                return [now]
            if now.slope >= 0:
                return [before, now]
            bounds = (now.t + 0.01 * (now.t - before.t), now.t * 10)
            before, now = now, self._try(cubic_minimum(before, now, bounds))
            self._iterations += 1
        return [self._start, now]

    def zoom(self, bracket: list[Trial], scale: float, tolerance: float) -> Trial:
        """Narrow the bracket; its better end is the answer when the iterations run out."""
        # The ends keep their places: which of them is interpolated from decides the rounding.
        ends = list(bracket)
        low = 0 if ends[0].value <= ends[1].value else 1
        stalled = False
        while self._iterations < _MAX_ITERATIONS:
            if abs(ends[1].t - ends[0].t) * scale < tolerance:
                break
            t, stalled = self._inside(ends, stalled)
            trial = self._try(t)
            self._iterations += 1
            if self._too_high(trial) or trial.value >= ends[low].value:
                ends[1 - low] = trial
                low = 0 if ends[0].value <= ends[1].value else 1
                continue
            if self._flat_enough(trial):
                return trial
            if trial.slope * (ends[1 - low].t - ends[low].t) >= 0:
                ends[1 - low] = ends[low]
            ends[low] = trial
        return ends[low]

    @staticmethod
    def _inside(ends: list[Trial], stalled: bool) -> tuple[float, bool]:
        """The interpolated step, kept off the ends when it comes close to one twice running."""
        t = cubic_minimum(ends[0], ends[1])
        left, right = sorted(end.t for end in ends)
        margin = 0.1 * (right - left)
        if min(right - t, t - left) >= margin:
            return t, False
        if stalled or t >= right or t <= left:
            return (right - margin if abs(t - right) < abs(t - left) else left + margin), False
        return t, True


def cubic_minimum(a: Trial, b: Trial, bounds: tuple[float, float] | None = None) -> float:
    """Where the cubic through two values and slopes is lowest, clamped to ``bounds``.

    The bounds are the two step lengths unless given; without a minimum it is the middle of them.
    """
    if a.t > b.t:
        a, b = b, a
    left, right = bounds or (a.t, b.t)
    mean = a.slope + b.slope - 3 * (a.value - b.value) / (a.t - b.t)
    square = mean**2 - a.slope * b.slope
    if square < 0:
        return (left + right) / 2
    root = math.sqrt(square)
    t = b.t - (b.t - a.t) * ((b.slope + root - mean) / (b.slope - a.slope + 2 * root))
    return min(max(t, left), right)
