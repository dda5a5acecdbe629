"""Modules as functions of their parameters, against the modules themselves."""

from __future__ import annotations

from typing import Any

import pytest

import flambeau_core as fb
from flambeau_core.func import grad, hessian, jvp, vmap
from flambeau_nn import Parameter
from flambeau_nn import modules as nn
from flambeau_nn.utils.stateless import functional_call, stack_module_state


def inputs(*shape: int) -> Any:
    n = 1
    for s in shape:
        n *= s
    return (fb.arange(n, dtype=fb.float32) / 7).sin().reshape(shape)


def state(module: Any) -> dict[str, Any]:
    return {name: p.detach() for name, p in module.named_parameters()}


NETWORKS: dict[str, Any] = {
    "linear": (lambda: nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2)), (3,)),
    "convolution": (
        lambda: nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten()),
        (1, 6, 6),
    ),
    "batch norm, eval": (
        lambda: nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2)).eval(),
        (1, 4, 4),
    ),
    "layer norm": (lambda: nn.Sequential(nn.Linear(3, 4), nn.LayerNorm(4)), (3,)),
    "group norm": (lambda: nn.Sequential(nn.Conv2d(1, 2, 3), nn.GroupNorm(2, 2)), (1, 4, 4)),
    "lstm": (lambda: nn.LSTM(3, 4, batch_first=True), (5, 3)),
    "gru": (lambda: nn.GRU(3, 4, bidirectional=True, batch_first=True), (5, 3)),
    "attention": (
        lambda: nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0, batch_first=True),
        (3, 4),
    ),
}


def loss(output: Any) -> Any:
    return (output[0] if isinstance(output, tuple) else output).sin().sum()


@pytest.mark.parametrize("name", NETWORKS)
def test_gradients_of_every_sample(name: str) -> None:
    make, shape = NETWORKS[name]
    fb.manual_seed(0)
    module, x = make(), inputs(3, *shape)

    def of_sample(parameters: Any, sample: Any) -> Any:
        return loss(functional_call(module, parameters, (sample.unsqueeze(0),)))

    found = vmap(grad(of_sample), (None, 0))(state(module), x)
    for i in range(3):
        module.zero_grad()
        loss(module(x[i : i + 1])).backward()
        for key, p in module.named_parameters():
            assert fb.allclose(found[key][i], p.grad, 1e-4, 1e-5), key


def test_gradients_of_embeddings_stay_apart() -> None:
    module = nn.Embedding(5, 3, padding_idx=1)
    indices = fb.tensor([[0, 1, 2], [3, 3, 1]])
    found = vmap(
        grad(lambda p, i: functional_call(module, p, (i,)).sum()), (None, 0)
    )(state(module), indices)["weight"]  # fmt: skip
    counts = fb.tensor([[1.0, 0, 1, 0, 0], [0, 0, 0, 2, 0]])
    assert fb.equal(found, counts.unsqueeze(-1).expand(2, 5, 3))


def test_hessian_and_forward_mode() -> None:
    module = nn.Linear(2, 1, bias=False)
    x = inputs(3, 2)
    h = hessian(lambda p: functional_call(module, p, (x,)).square().sum())(state(module))
    assert fb.allclose(h["weight"]["weight"].reshape(2, 2), 2 * x.T @ x, 1e-4, 1e-5)
    lstm = nn.LSTM(3, 4, batch_first=True).double()
    p, x = state(lstm), inputs(2, 5, 3).double()
    v, e = {k: t.cos() for k, t in p.items()}, 1e-6

    def f(parameters: Any) -> Any:
        return functional_call(lstm, parameters, (x,))[0]

    def moved(step: float) -> Any:
        return f({k: t + step * v[k] for k, t in p.items()})

    assert fb.allclose(jvp(f, (p,), (v,))[1], (moved(e) - moved(-e)) / (2 * e), 1e-6, 1e-7)


def test_an_ensemble_runs_as_one() -> None:
    models = [nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3)).eval() for _ in range(3)]
    parameters, buffers = stack_module_state(models)
    assert all(p.requires_grad and p.is_leaf for p in parameters.values())
    x = inputs(4, 2)
    y = vmap(lambda p, b: functional_call(models[0], (p, b), (x,)))(parameters, buffers)
    assert fb.allclose(y, fb.stack([m(x) for m in models]))
    for wrong in ([], [nn.Linear(2, 2), nn.ReLU()], [nn.Linear(2, 2), nn.Linear(2, 2).eval()]):
        with pytest.raises(RuntimeError, match="stack_module_state"):
            stack_module_state(wrong)


def test_the_module_stays_as_it_was() -> None:
    module = nn.BatchNorm1d(3)
    weight, mean = module.weight, module.running_mean.clone()
    buffers = {name: b.clone() for name, b in module.named_buffers()}
    functional_call(module, buffers, (inputs(4, 3),))
    assert fb.equal(module.running_mean, mean)
    assert not fb.equal(buffers["running_mean"], mean)  # the caller's are written to
    with pytest.raises(RuntimeError):
        functional_call(module, {"weight": inputs(5)}, (inputs(4, 3),))
    assert module.weight is weight


def test_running_statistics_under_vmap() -> None:
    module, x = nn.BatchNorm1d(3), inputs(2, 4, 3)
    with pytest.raises(RuntimeError, match="batch_norm inside vmap"):
        vmap(module)(x)
    assert module.running_mean.tolist() == [0, 0, 0]
    module.reset_running_stats()
    each = {name: fb.stack([b, b]) for name, b in module.named_buffers()}
    y = vmap(lambda b, e: functional_call(module, b, (e,)))(each, x)
    assert fb.allclose(y, fb.stack([module(e) for e in x]), 1e-4, 1e-5)
    assert fb.allclose(each["running_mean"], 0.1 * x.mean(1))


class Tied(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.a, self.b = nn.Linear(2, 2, bias=False), nn.Linear(2, 2, bias=False)
        self.b.weight = self.a.weight

    def forward(self, x: Any) -> Any:
        return self.a(x) + self.b(x)


def test_tied_weights() -> None:
    module, x, ones = Tied(), inputs(1, 2), fb.ones(2, 2)
    both = functional_call(module, {"a.weight": ones}, (x,))
    one = functional_call(module, {"a.weight": ones}, (x,), tie_weights=False)
    assert fb.allclose(both, 2 * x @ ones)
    assert fb.allclose(one, x @ ones + module.b(x))
    with pytest.raises(ValueError, match="tied"):
        functional_call(module, {"a.weight": ones, "b.weight": ones * 2}, (x,))


def test_wrong_use_is_named() -> None:
    module, x = nn.Linear(2, 2), inputs(1, 2)
    with pytest.raises(RuntimeError, match="bias"):
        functional_call(module, {"weight": fb.ones(2, 2)}, (x,), strict=True)
    with pytest.raises(ValueError, match="several dicts"):
        functional_call(module, ({"weight": x}, {"weight": x}), (x,))


def test_parameters_keep_a_class_that_says_what_ops_do() -> None:
    class Named(fb.Tensor):
        pass

    p: Any = Parameter(fb.ones(2, 2).as_subclass(Named))
    assert isinstance(p, Named) and isinstance(p, Parameter) and p.requires_grad
    module = nn.Linear(2, 2)
    module.weight = p
    assert dict(module.named_parameters())["weight"] is p
    assert type(module(fb.ones(1, 2))) is Named
    assert not isinstance(fb.ones(1), Parameter) and isinstance(module.bias, Parameter)
    assert type(Parameter(fb.ones(2)) + 1) is fb.Tensor
