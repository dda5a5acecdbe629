"""Averages of a model's weights over its training."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import deepcopy
from typing import Any

import flambeau_core as fb

Average = Callable[[Any, Any, Any], Any]
MultiAverage = Callable[[list[Any], list[Any], Any], None]


def get_ema_avg_fn(decay: float = 0.999) -> Average:
    """An exponential moving average: ``decay * average + (1 - decay) * parameter``."""
    _check_decay(decay)

    def average(averaged: Any, parameter: Any, count: Any) -> Any:
        return decay * averaged + (1 - decay) * parameter

    return average


def get_swa_avg_fn() -> Average:
    """The mean of all updates (Izmailov et al., 2018, arXiv:1803.05407)."""

    def average(averaged: Any, parameter: Any, count: Any) -> Any:
        return averaged + (parameter - averaged) / (count + 1)

    return average


def get_ema_multi_avg_fn(decay: float = 0.999) -> MultiAverage:
    """As :func:`get_ema_avg_fn`, in place for a list of parameters."""
    _check_decay(decay)
    return _lerp_all(lambda count: 1 - decay)


def get_swa_multi_avg_fn() -> MultiAverage:
    """As :func:`get_swa_avg_fn`, in place for a list of parameters."""
    return _lerp_all(lambda count: 1 / (int(count) + 1))


def _lerp_all(weight_of: Callable[[Any], float]) -> MultiAverage:
    def average(averaged: list[Any], parameters: list[Any], count: Any) -> None:
        weight = weight_of(count)
        with fb.no_grad():
            for mean, parameter in zip(averaged, parameters, strict=True):
                if mean.is_floating_point():
                    mean.lerp_(parameter, weight)
                else:
                    mean.copy_(parameter)

    return average


def _check_decay(decay: float) -> None:
    if not 0.0 <= decay <= 1.0:
        raise ValueError(f"Invalid decay value {decay}: it must lie in [0, 1]")


class AveragedModel:
    """Keeps a copy of a model whose parameters are averages of those it is updated with.

    ``averaged.module`` is the copy. Calls and attributes are passed on to it, so that this object
    is used like the model; it is no ``nn.Module`` itself, since this package knows none. Its
    ``state_dict`` holds ``n_averaged`` and the copy's entries under ``module.``.

    Args:
        model: has ``parameters()``, ``buffers()``, ``state_dict()`` as ``nn.Module`` has.
        device: where to keep the averages.
        avg_fn: ``(average, parameter, count) -> average``, by default the mean of all updates.
        multi_avg_fn: does the same in place for lists of tensors.
        use_buffers: average the buffers too; otherwise they are copied.

    Raises:
        AssertionError: both functions are given.
    """

    def __init__(
        self,
        model: Any,
        device: Any = None,
        avg_fn: Average | None = None,
        multi_avg_fn: MultiAverage | None = None,
        use_buffers: bool = False,
    ) -> None:
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("AveragedModel takes avg_fn or multi_avg_fn, not both")
        self.module = deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        self.n_averaged = fb.tensor(0, dtype=fb.int64, device=device)
        self.avg_fn = avg_fn
        self.multi_avg_fn = multi_avg_fn
        self.use_buffers = use_buffers

    def update_parameters(self, model: Any) -> None:
        """Take the present parameters of ``model`` into the averages."""
        ours, theirs = self._averaged_tensors(self.module), self._averaged_tensors(model)
        with fb.no_grad():
            theirs = [tensor.detach().to(mean.device) for mean, tensor in zip(ours, theirs)]
            ours = [tensor.detach() for tensor in ours]
            if self.n_averaged.item() == 0:
                for mean, tensor in zip(ours, theirs, strict=True):
                    mean.copy_(tensor)
            elif self.avg_fn is not None:
                for mean, tensor in zip(ours, theirs, strict=True):
                    mean.copy_(self.avg_fn(mean, tensor, self.n_averaged))
            else:
                average = self.multi_avg_fn or get_swa_multi_avg_fn()
                average(ours, theirs, self.n_averaged)
            if not self.use_buffers:
                for copy, buffer in zip(self.module.buffers(), model.buffers()):
                    copy.detach().copy_(buffer.detach())
            self.n_averaged += 1

    def _averaged_tensors(self, model: Any) -> list[Any]:
        tensors = list(model.parameters())
        return tensors + list(model.buffers()) if self.use_buffers else tensors

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.module(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        if name == "module":  # not set yet: while it is copied or unpickled
            raise AttributeError(name)
        return getattr(self.module, name)

    def state_dict(self) -> dict[str, Any]:
        """``n_averaged`` and the entries of the copy."""
        entries = {f"module.{name}": value for name, value in self.module.state_dict().items()}
        return {"n_averaged": self.n_averaged, **entries}

    def load_state_dict(self, state_dict: dict[str, Any], strict: bool = True) -> Any:
        """Take over what ``state_dict()`` returned.

        Raises:
            RuntimeError: as the model's own ``load_state_dict``.
        """
        prefix = "module."
        entries = {k[len(prefix) :]: v for k, v in state_dict.items() if k.startswith(prefix)}
        result = self.module.load_state_dict(entries, strict=strict)
        self.n_averaged.copy_(state_dict["n_averaged"])
        return result


def update_bn(loader: Iterable[Any], model: Any, device: Any = None) -> None:
    """Compute the running statistics of ``model``'s batch normalisations anew, by one pass.

    Args:
        loader: gives input batches, or lists and tuples whose first element is one.
    """
    norms = [layer for layer in model.modules() if hasattr(layer, "reset_running_stats")]
    momenta = [layer.momentum for layer in norms]
    if not norms:
        return
    was_training = model.training
    model.train()
    for layer in norms:
        layer.reset_running_stats()
        layer.momentum = None  # a plain mean over all batches
    with fb.no_grad():
        for batch in loader:
            inputs = batch[0] if isinstance(batch, (list, tuple)) else batch
            model(inputs if device is None else inputs.to(device))
    for layer, momentum in zip(norms, momenta, strict=True):
        layer.momentum = momentum
    model.train(was_training)
