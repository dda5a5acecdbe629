"""AdamW: Adam whose weight decay acts on the parameter alone."""

from __future__ import annotations

from .adam import Adam
from .hyperparameters import Number
from .optimizer import ParamsT


class AdamW(Adam):
    """Adam with decoupled weight decay (Loshchilov and Hutter, 2017, arXiv:1711.05101).

    Each step first multiplies the parameter by ``1 - lr * weight_decay``; the decay takes no part
    in the running moments. The other arguments are those of :class:`Adam`.
    """

    def __init__(
        self,
        params: ParamsT,
        lr: Number = 1e-3,
        betas: tuple[Number, Number] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        super().__init__(
            params,
            lr,
            betas,
            eps,
            weight_decay,
            amsgrad,
            foreach=foreach,
            maximize=maximize,
            capturable=capturable,
            differentiable=differentiable,
            fused=fused,
            decoupled_weight_decay=True,
        )
