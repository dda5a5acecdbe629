"""Normalization by the statistics of a batch, a layer, a group, or neighbouring channels."""

from __future__ import annotations

from collections.abc import Sequence

import flambeau_core as fb
from flambeau_core.composed.precision import widened
from flambeau_core.composed.reductions import reduced_count
from flambeau_core.declare import composition, op


def _normalized(x: fb.Tensor, mean: fb.Tensor, var: fb.Tensor, eps: float) -> fb.Tensor:
    return (x - mean) * (var + eps).rsqrt()


def _scaled(x: fb.Tensor, weight: fb.Tensor | None, bias: fb.Tensor | None) -> fb.Tensor:
    if weight is not None:
        x = x * weight
    return x if bias is None else x + bias


def _per_channel(parameter: fb.Tensor | None, ndim: int) -> fb.Tensor | None:
    """A vector over channels, shaped so that it broadcasts over ``(N, C, ...)``."""
    if parameter is None:
        return None
    return widened(parameter).reshape([1, -1] + [1] * (ndim - 2))


@composition("layer_norm")
def layer_norm(
    x: fb.Tensor,
    normalized_shape: Sequence[int],
    weight: fb.Tensor | None,
    bias: fb.Tensor | None,
    eps: float,
) -> fb.Tensor:
    """Zero mean and unit variance over the last dimensions (Ba, Kiros and Hinton, 2016)."""
    dims = list(range(x.dim() - len(normalized_shape), x.dim()))
    wide = widened(x)
    var = wide.var(dims, correction=0, keepdim=True)
    return _scaled(_normalized(wide, wide.mean(dims, True), var, eps), weight, bias).to(x.dtype)


@composition("batch_norm")
def batch_norm(
    x: fb.Tensor,
    running_mean: fb.Tensor | None,
    running_var: fb.Tensor | None,
    weight: fb.Tensor | None,
    bias: fb.Tensor | None,
    training: bool,
    momentum: float,
    eps: float,
) -> fb.Tensor:
    """Zero mean and unit variance of each channel of ``(N, C, ...)`` (Ioffe and Szegedy, 2015).

    In training the batch's statistics are used, and the running ones move towards them by
    ``momentum``, the variance without bias; otherwise the running ones are used.
    """
    wide = widened(x)
    dims = [0, *range(2, x.dim())]
    if training:
        mean = wide.mean(dims)
        var = wide.var(dims, correction=0)
        _update_running(running_mean, running_var, mean, var, momentum, reduced_count(x, dims))
    else:
        assert running_mean is not None and running_var is not None
        mean, var = running_mean, running_var
    ndim = x.dim()
    shaped_mean, shaped_var = _per_channel(mean, ndim), _per_channel(var, ndim)
    assert shaped_mean is not None and shaped_var is not None
    normalized = _normalized(wide, shaped_mean, shaped_var, eps)
    return _scaled(normalized, _per_channel(weight, ndim), _per_channel(bias, ndim)).to(x.dtype)


def _update_running(
    running_mean: fb.Tensor | None,
    running_var: fb.Tensor | None,
    mean: fb.Tensor,
    var: fb.Tensor,
    momentum: float,
    count: int,
) -> None:
    with fb.no_grad():
        if running_mean is not None:
            running_mean.mul_(1 - momentum).add_(mean.to(running_mean.dtype), alpha=momentum)
        if running_var is not None:
            unbiased = (var * count / (count - 1) if count > 1 else var / 0).to(running_var.dtype)
            running_var.mul_(1 - momentum).add_(unbiased, alpha=momentum)


@op(
    "group_norm(Tensor self, int num_groups, Tensor? weight=None, Tensor? bias=None,"
    " float eps=1e-5) -> Tensor",
    namespace="both",
    method=False,
)
def group_norm(
    self: fb.Tensor,
    num_groups: int,
    weight: fb.Tensor | None,
    bias: fb.Tensor | None,
    eps: float,
) -> fb.Tensor:
    """Normalizes groups of channels of ``(N, C, ...)`` (Wu and He, 2018)."""
    if self.dim() < 2:
        raise RuntimeError(
            f"group_norm: expected at least 2 dimensions, got shape {tuple(self.shape)}"
        )
    batch, channels = self.shape[:2]
    if num_groups < 1 or channels % num_groups:
        raise RuntimeError(
            f"group_norm: expected number of channels in input to be divisible by num_groups, "
            f"but got input of shape {tuple(self.shape)} and num_groups={num_groups}"
        )
    for name, parameter in (("weight", weight), ("bias", bias)):
        if parameter is not None and tuple(parameter.shape) != (channels,):
            raise RuntimeError(
                f"group_norm: expected {name} to be a vector of size {channels}, the number of "
                f"channels, but got shape {tuple(parameter.shape)}"
            )
    count = channels // num_groups * reduced_count(self, range(2, self.dim()))
    grouped = widened(self).reshape(batch, num_groups, count)
    var = grouped.var(2, correction=0, keepdim=True)
    normalized = _normalized(grouped, grouped.mean(2, True), var, eps).reshape(self.shape)
    ndim = self.dim()
    return _scaled(normalized, _per_channel(weight, ndim), _per_channel(bias, ndim)).to(self.dtype)


@op(
    "instance_norm(Tensor self, Tensor? running_mean=None, Tensor? running_var=None,"
    " Tensor? weight=None, Tensor? bias=None, bool use_input_stats=True, float momentum=0.1,"
    " float eps=1e-5) -> Tensor",
    namespace="both",
    method=False,
)
def instance_norm(
    self: fb.Tensor,
    running_mean: fb.Tensor | None,
    running_var: fb.Tensor | None,
    weight: fb.Tensor | None,
    bias: fb.Tensor | None,
    use_input_stats: bool,
    momentum: float,
    eps: float,
) -> fb.Tensor:
    """Normalizes each channel of each sample of ``(N, C, ...)`` (Ulyanov et al., 2016)."""
    if self.dim() < 3:
        raise ValueError(
            f"instance_norm: expected at least 3 dimensions, got shape {tuple(self.shape)}"
        )
    batch, channels = self.shape[:2]
    ndim = self.dim()
    if not use_input_stats:
        if running_mean is None or running_var is None:
            raise RuntimeError(
                "instance_norm: running_mean and running_var are needed when use_input_stats=False"
            )
        return batch_norm(self, running_mean, running_var, weight, bias, False, momentum, eps)
    count = self.numel() // max(batch * channels, 1)
    if count == 1:
        raise ValueError(
            "instance_norm: expected more than 1 spatial element when training, "
            f"got input size {tuple(self.shape)}"
        )
    wide = widened(self)
    dims = list(range(2, ndim))
    mean = wide.mean(dims, True)
    var = wide.var(dims, correction=0, keepdim=True)
    over_batch = [0, *range(2, ndim)]
    _update_running(
        running_mean, running_var, mean.mean(over_batch), var.mean(over_batch), momentum, count
    )
    normalized = _normalized(wide, mean, var, eps)
    return _scaled(normalized, _per_channel(weight, ndim), _per_channel(bias, ndim)).to(self.dtype)


@op(
    "instance_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean,"
    " Tensor? running_var, bool use_input_stats, float momentum, float eps, bool cudnn_enabled)"
    " -> Tensor",
    namespace="both",
)
def _parameters_first(
    input: fb.Tensor,
    weight: fb.Tensor | None,
    bias: fb.Tensor | None,
    running_mean: fb.Tensor | None,
    running_var: fb.Tensor | None,
    use_input_stats: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool,
) -> fb.Tensor:
    """The bare op, which names the parameters before the running statistics."""
    return instance_norm(
        input, running_mean, running_var, weight, bias, use_input_stats, momentum, eps
    )


@op(
    "rms_norm(Tensor self, int[] normalized_shape, Tensor? weight=None, float? eps=None) -> Tensor",
    namespace="both",
    method=False,
)
def rms_norm(
    self: fb.Tensor, normalized_shape: Sequence[int], weight: fb.Tensor | None, eps: float | None
) -> fb.Tensor:
    """Divides by the root of the mean square over the last dimensions (Zhang, Sennrich, 2019)."""
    size = list(normalized_shape)
    if not size:
        raise RuntimeError("rms_norm: expected normalized_shape to be at least 1-dimensional")
    if list(self.shape[self.dim() - len(size) :]) != size or self.dim() < len(size):
        raise RuntimeError(
            f"rms_norm: given normalized_shape={size}, expected input with shape "
            f"[*, {', '.join(map(str, size))}], but got input of size {tuple(self.shape)}"
        )
    if weight is not None and list(weight.shape) != size:
        raise RuntimeError(
            f"rms_norm: expected weight to be of same shape as normalized_shape, but got weight "
            f"of shape {tuple(weight.shape)} and normalized_shape={size}"
        )
    wide = widened(self)
    dims = list(range(self.dim() - len(size), self.dim()))
    margin = fb.finfo(wide.dtype).eps if eps is None else eps
    return _scaled(wide * (wide.square().mean(dims, True) + margin).rsqrt(), weight, None).to(
        self.dtype
    )


@op(
    "local_response_norm(Tensor self, int size, float alpha=1e-4, float beta=0.75,"
    " float k=1.0) -> Tensor",
    namespace="nn",
)
def local_response_norm(
    self: fb.Tensor, size: int, alpha: float, beta: float, k: float
) -> fb.Tensor:
    """Divides by a power of the mean square of neighbouring channels (Krizhevsky et al., 2012)."""
    if self.dim() < 3:
        raise ValueError(
            f"local_response_norm: expected 3-D or higher dimensionality input, "
            f"got shape {tuple(self.shape)}"
        )
    if self.numel() == 0:
        return self.clone()
    square = self * self
    shape = list(self.shape)
    before, after = size // 2, (size - 1) // 2
    front = self.new_zeros([shape[0], before, *shape[2:]])
    back = self.new_zeros([shape[0], after, *shape[2:]])
    windows = fb.cat([front, square, back], 1).unfold(1, size, 1)
    total = windows.sum(-1, dtype=self.dtype)
    mean = total / size if self.is_floating_point() else total.div(size, rounding_mode="trunc")
    return self / (mean * alpha + k).pow(beta)
