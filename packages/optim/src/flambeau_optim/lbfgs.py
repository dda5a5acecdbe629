"""L-BFGS: a quasi-Newton method with a short memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import flambeau_core as fb

from .hyperparameters import Number, check_learning_rate
from .line_search import Trial, strong_wolfe
from .optimizer import Optimizer, ParamsT

Closure = Callable[[], Any]


class LBFGS(Optimizer):
    """Limited-memory BFGS (Liu and Nocedal, 1989), for full batches.

    Each ``step`` makes up to ``max_iter`` iterations and calls the closure for every evaluation.
    All parameters form one vector, in one group.

    Args:
        max_eval: evaluations a step, by default 1.25 ``max_iter``.
        tolerance_grad: end the step when no element of the gradient is larger.
        tolerance_change: ... or when neither loss nor parameters change by more.
        history_size: the pairs of steps and gradient changes that are kept.
        line_search_fn: ``"strong_wolfe"``, or None to take ``lr`` as the step length.

    Raises:
        ValueError: a negative rate, or several parameter groups.
    """

    def __init__(
        self,
        params: ParamsT,
        lr: Number = 1,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:
        check_learning_rate(lr)
        defaults = {
            "lr": lr,
            "max_iter": max_iter,
            "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
            "tolerance_grad": tolerance_grad,
            "tolerance_change": tolerance_change,
            "history_size": history_size,
            "line_search_fn": line_search_fn,
        }
        super().__init__(params, defaults)
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")

    @property
    def _params(self) -> list[Any]:
        params: list[Any] = self.param_groups[0]["params"]
        return params

    def step(self, closure: Closure) -> Any:  # type: ignore[override]
        """Make the iterations of one step.

        Returns:
            The loss before it.

        Raises:
            RuntimeError: ``line_search_fn`` is unknown.
        """
        group = self.param_groups[0]
        if group["line_search_fn"] not in (None, "strong_wolfe"):
            raise RuntimeError(
                f"LBFGS: only 'strong_wolfe' is supported, got {group['line_search_fn']!r}"
            )
        state = self.state[self._params[0]]
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)
        with fb.no_grad():
            first_loss, loss, gradient = self._evaluate(closure)
            state["func_evals"] += 1
            if _largest(gradient) > group["tolerance_grad"]:
                self._iterate(closure, group, state, loss, gradient)
        return first_loss

    def _iterate(
        self,
        closure: Closure,
        group: dict[str, Any],
        state: dict[str, Any],
        loss: float,
        gradient: fb.Tensor,
    ) -> None:
        evaluations = 1
        change = group["tolerance_change"]
        for iteration in range(1, group["max_iter"] + 1):
            state["n_iter"] += 1
            direction = _direction(state, gradient, group["history_size"])
            state["prev_flat_grad"], state["prev_loss"] = gradient.clone(), loss
            rate = float(group["lr"])
            first = state["n_iter"] == 1
            t = min(1.0, 1.0 / gradient.abs().sum().item()) * rate if first else rate
            state["d"], state["t"] = direction, t
            slope = gradient.dot(direction).item()
            if slope > -change:
                break
            count = 0
            if group["line_search_fn"]:
                start = Trial(0.0, loss, gradient, slope)
                best, count = self._search(closure, start, t, direction, change)
                loss, gradient, t = best.value, best.gradient, best.t
                self._move(direction, t)
            else:
                self._move(direction, t)
                if iteration != group["max_iter"]:
                    _, loss, gradient = self._evaluate(closure)
                    count = 1
            state["t"] = t
            evaluations += count
            state["func_evals"] += count
            if (
                evaluations >= group["max_eval"]
                or _largest(gradient) <= group["tolerance_grad"]
                or _largest(direction * t) <= change
                or abs(loss - state["prev_loss"]) < change
            ):
                break

    def _evaluate(self, closure: Closure) -> tuple[Any, float, fb.Tensor]:
        with fb.enable_grad():
            loss = closure()
        parts = [
            fb.zeros_like(param) if param.grad is None else param.grad.to_dense()
            for param in self._params
        ]
        return loss, float(loss), fb.cat([part.reshape(-1) for part in parts], 0)

    def _move(self, direction: fb.Tensor, t: float) -> None:
        offset = 0
        for param in self._params:
            size = param.numel()
            param.add_(direction[offset : offset + size].view_as(param), alpha=t)
            offset += size

    def _search(
        self, closure: Closure, start: Trial, t: float, direction: fb.Tensor, tolerance: float
    ) -> tuple[Trial, int]:
        origin = [param.clone() for param in self._params]

        def evaluate(t: float) -> Trial:
            self._move(direction, t)
            _, loss, gradient = self._evaluate(closure)
            for param, value in zip(self._params, origin, strict=True):
                param.copy_(value)
            return Trial(t, loss, gradient, gradient.dot(direction).item())

        return strong_wolfe(evaluate, start, t, _largest(direction), tolerance)


def _largest(vector: fb.Tensor) -> float:
    return float(vector.abs().max().item())


def _direction(state: dict[str, Any], gradient: fb.Tensor, history_size: int) -> fb.Tensor:
    """Minus the gradient times the inverse Hessian of the history, after the last step joined it.

    The two-loop recursion of Nocedal, "Updating quasi-Newton matrices with limited storage" (1980).
    """
    if state["n_iter"] == 1:
        state.update(old_dirs=[], old_stps=[], ro=[], H_diag=1)
        return -gradient
    changes, steps, inverses = state["old_dirs"], state["old_stps"], state["ro"]
    change, step = gradient - state["prev_flat_grad"], state["d"] * state["t"]
    curvature = change.dot(step)
    if curvature.item() > 1e-10:
        if len(changes) == history_size:
            for memory in (changes, steps, inverses):
                memory.pop(0)
        changes.append(change)
        steps.append(step)
        inverses.append(1.0 / curvature)
        state["H_diag"] = curvature / change.dot(change)
    weights = state.setdefault("al", [None] * history_size)
    direction = -gradient
    for i in reversed(range(len(changes))):
        weights[i] = steps[i].dot(direction) * inverses[i]
        direction = direction - changes[i] * weights[i]
    direction = direction * state["H_diag"]
    for i in range(len(changes)):
        direction = direction + steps[i] * (weights[i] - changes[i].dot(direction) * inverses[i])
    return direction
