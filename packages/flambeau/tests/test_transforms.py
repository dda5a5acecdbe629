"""The function transforms, case by case, against what PyTorch 2.13 gives.

``data/transforms.json`` holds PyTorch's results of these same expressions: dtype, shape and
values of each tensor, or the type of the exception.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import flambeau as torch
from flambeau.func import grad, grad_and_value, hessian, jacfwd, jacrev, jvp, linearize, vjp, vmap
from flambeau.nn import functional as F

RECORDED = json.loads((Path(__file__).parent / "data" / "transforms.json").read_text())
T = torch.tensor
a = torch.arange(6.0).reshape(2, 3) / 3
b = torch.arange(1.0, 4.0)
c = torch.arange(12.0).reshape(2, 3, 2) / 7 - 0.5

CASES: dict[str, Callable[[], Any]] = {
    "vmap-1": lambda: vmap(torch.dot)(a, a),
    "vmap-2": lambda: vmap(lambda x: x.sum())(a),
    "vmap-3": lambda: vmap(lambda x, y: x @ y, (0, None))(c, T([1.0, 2.0])),
    "vmap-4": lambda: vmap(lambda x: x.t(), 1, 1)(c),
    "vmap-5": lambda: vmap(vmap(lambda x, y: x * y, (0, None)), (None, 0))(b, b),
    "vmap-6": lambda: vmap(lambda x: (x, x.sum()), out_dims=(1, 0))(a),
    "vmap-7": lambda: vmap(lambda x: x[0])(a),
    "vmap-8": lambda: vmap(lambda x: x[..., None])(a),
    "vmap-9": lambda: vmap(lambda x: x[T([0, 2])])(a),
    "vmap-10": lambda: vmap(lambda x, i: x[i])(a, T([0, 2])),
    "vmap-11": lambda: vmap(lambda x, i: x[i], (None, 0))(b, T([[0, 1], [2, 0]])),
    "vmap-12": lambda: vmap(lambda x: x.add_(1))(a.clone()),
    "vmap-13": lambda: vmap(lambda x, y: x.add_(y), (None, 0))(b.clone(), a),
    "vmap-15": lambda: vmap(lambda x: torch.zeros(3) + x)(a),
    "vmap-16": lambda: vmap(lambda x: x.new_zeros(2).add_(x[:2]))(a),
    "vmap-17": lambda: vmap(lambda x: torch.where(x > 0.5, x, 0.0))(a),
    "vmap-22": lambda: vmap(lambda x: x.max(0))(a),
    "vmap-23": lambda: vmap(lambda x: x.sort(descending=True))(a),
    "vmap-24": lambda: vmap(lambda x: torch.cat([x, b]))(a),
    "vmap-25": lambda: vmap(lambda x: torch.stack([x, b], -1))(a),
    "vmap-26": lambda: vmap(lambda x: x.softmax(-1))(a),
    "vmap-27": lambda: vmap(lambda x: F.layer_norm(x, (3,)))(a),
    "vmap-28": lambda: vmap(lambda x, w: F.linear(x, w))(a, c.transpose(1, 2)),
    "vmap-29": lambda: vmap(lambda x: x.expand(2, 3))(a),
    "vmap-30": lambda: vmap(lambda x: x.view(-1, 1))(a),
    "vmap-31": lambda: vmap(lambda d: d["x"] + d["y"], in_dims=({"x": 0, "y": None},))(
        {"x": a, "y": b}
    ),
    "vmap-33": lambda: vmap(lambda x: x, in_dims=2)(a),
    "vmap-34": lambda: vmap(lambda x, y: x + y)(a, torch.zeros(3, 3)),
    "vmap-35": lambda: vmap(lambda x: x, out_dims=None)(a),
    "vmap-36": lambda: vmap(lambda x: b, out_dims=None)(a),
    "vmap-37": lambda: vmap(lambda x: b)(a),
    "vmap-40": lambda: vmap(lambda x: torch.diag(x))(a),
    "vmap-41": lambda: vmap(lambda x: x.unsqueeze(0).squeeze(0).flip(0))(a),
    "vmap-42": lambda: vmap(lambda x: torch.einsum("ij,j->i", x, T([1.0, 2.0])))(c),
    "vmap-43": lambda: vmap(lambda x: F.conv1d(x, torch.ones(2, 3, 1)))(c),
    "vmap-44": lambda: vmap(lambda x, w: F.conv1d(x, w))(
        c, torch.ones(2, 4, 3, 1) * T([1.0, 2.0]).reshape(2, 1, 1, 1)
    ),
    "vmap-46": lambda: vmap(lambda x: F.dropout(x, 0.5, training=False))(a),
    "vmap-47": lambda: vmap(lambda x: x.mean(), chunk_size=1)(a),
    "vmap-48": lambda: vmap(torch.add)(a, 1),
    "vmap-50": lambda: vmap(lambda x: x.var())(a),
    "vmap-51": lambda: vmap(lambda x: x.std(0))(c),
    "vmap-52": lambda: vmap(lambda x: x.cumsum(0))(a),
    "vmap-53": lambda: vmap(lambda x: x.argmax())(a),
    "vmap-54": lambda: vmap(lambda x: torch.linalg.norm(x))(a),
    "vmap-55": lambda: vmap(lambda x: torch.linalg.inv(x))(
        torch.eye(2).expand(3, 2, 2) * T([1.0, 2.0, 4.0]).reshape(3, 1, 1)
    ),
    "vmap-56": lambda: vmap(lambda x: F.cross_entropy(x.unsqueeze(0), T([1])))(a),
    "vmap-57": lambda: vmap(lambda x, t: F.cross_entropy(x.unsqueeze(0), t.unsqueeze(0)))(
        a, T([1, 2])
    ),
    "vmap-58": lambda: vmap(lambda x: x.clamp(0.2, 0.8))(a),
    "vmap-59": lambda: vmap(lambda x, m: x.masked_fill(m, 0))(a, a > 0.5),
    "vmap-60": lambda: vmap(lambda x: x.to(torch.float64))(a),
    "vmap-61": lambda: vmap(lambda x, y: x + y)(b, torch.ones(3, dtype=torch.float64)),
    "vmap-62": lambda: vmap(lambda x, y: x + y, (0, None))(b, torch.ones(2, dtype=torch.float64)),
    "vmap-63": lambda: vmap(lambda x: x * torch.ones(2))(torch.ones(3, dtype=torch.float64)),
    "vmap-64": lambda: vmap(lambda x: torch.ones(2, dtype=torch.int64) * x)(b),
    "vmap-65": lambda: vmap(lambda x: x.gather(0, T([1, 0])))(a),
    "vmap-66": lambda: vmap(lambda x, i: x.gather(0, i))(a, T([[1, 0], [2, 2]])),
    "vmap-67": lambda: vmap(lambda x, i: x.index_select(0, i))(a, T([[1, 0], [2, 2]])),
    "vmap-68": lambda: vmap(lambda x, i: torch.zeros(3).scatter(0, i, x[:2]))(
        a, T([[1, 0], [2, 1]])
    ),
    "vmap-69": lambda: vmap(lambda w: F.embedding(T([0, 1, 1]), w))(c),
    "vmap-70": lambda: vmap(lambda i: F.embedding(i, c[0]))(T([[0, 1], [2, 2]])),
    "vmap-71": lambda: vmap(lambda x: x.index_put((T([0, 1]),), T([9.0, 8.0])))(a),
    "vmap-72": lambda: vmap(lambda x: x.unfold(0, 2, 1))(a),
    "vmap-73": lambda: vmap(lambda x: torch.tril(x))(torch.ones(2, 2, 2)),
    "vmap-74": lambda: vmap(lambda x: x.roll(1))(a),
    "vmap-75": lambda: vmap(lambda x: F.pad(x, (1, 0)))(a),
    "vmap-76": lambda: vmap(lambda x: x.chunk(2))(c),
    "vmap-77": lambda: vmap(lambda x: x.unbind())(a),
    "vmap-78": lambda: vmap(lambda x: x.topk(2))(a),
    "vmap-79": lambda: vmap(lambda x: x.logsumexp(0))(a),
    "vmap-80": lambda: vmap(lambda x: torch.bucketize(x, T([0.3, 0.6])))(a),
    "vmap-81": lambda: vmap(lambda x: x.fill_(2))(a.clone()),
    "vmap-82": lambda: vmap(lambda x: x.copy_(b))(a.clone()),
    "vmap-83": lambda: vmap(lambda x: x.__setitem__(0, 5.0) or x)(a.clone()),
    "vmap-84": lambda: vmap(lambda x: torch.outer(x, x))(a),
    "vmap-85": lambda: vmap(lambda x: torch.cross(x, b, dim=0))(a),
    "vmap-86": lambda: vmap(lambda x: torch.kron(x, b))(a),
    "vmap-87": lambda: vmap(lambda x: x.repeat(2))(a),
    "vmap-88": lambda: vmap(lambda x: F.one_hot(x, 4))(T([1, 3])),
    "vmap-89": lambda: vmap(lambda x: torch.fft.fft(x))(a),
    "vmap-90": lambda: vmap(lambda x: F.batch_norm(x, None, None, training=True))(c),
    "grad-1": lambda: grad(torch.sin)(T(0.5)),
    "grad-2": lambda: grad(lambda x: (x**2).sum())(b),
    "grad-3": lambda: grad(lambda x, y: (x * y).sum(), argnums=(0, 1))(b, b),
    "grad-4": lambda: grad(grad(torch.sin))(T(0.5)),
    "grad-5": lambda: grad(lambda x: x)(b),
    "grad-6": lambda: grad(lambda x: 3.0)(b),
    "grad-7": lambda: grad(lambda x: (x.sum(), x), has_aux=True)(b),
    "grad-8": lambda: grad_and_value(lambda x: x.exp().sum())(b),
    "grad-9": lambda: grad(lambda x: x.detach().sum() + x.sum())(b),
    "grad-10": lambda: grad(lambda x: torch.ones(3).sum())(b),
    "grad-11": lambda: grad(lambda d: (d["a"] * d["b"]).sum())({"a": b, "b": b}),
    "grad-12": lambda: grad(lambda x: x.sum())(T([1, 2])),
    "grad-13": lambda: grad(lambda x: (x**2).sum())(b.clone().requires_grad_()),
    "grad-14": lambda: (lambda w: grad(lambda x: (x * w).sum())(b))(b.clone().requires_grad_()),
    "grad-15": lambda: grad(lambda x: grad(lambda y: x * y)(T(2.0)) * x)(T(3.0)),
    "grad-18": lambda: grad(lambda x, y: (x * y).sum(), argnums=1)(b, b * 2),
    "grad-19": lambda: grad(lambda x, y: x.sum(), argnums=5)(b, b),
    "grad-20": lambda: grad(lambda x: torch.complex(x, x * 2).abs().sum())(b),
    "jvp-1": lambda: jvp(torch.sin, (b,), (b,)),
    "jvp-2": lambda: jvp(lambda x, y: x * y, (b, b), (b, torch.ones(3))),
    "jvp-4": lambda: jvp(lambda x: (x.sum(), x * 2), (b,), (b,), has_aux=True),
    "jvp-5": lambda: jvp(torch.sin, (b,), (torch.ones(2),)),
    "jvp-6": lambda: jvp(lambda x: jvp(torch.sin, (x,), (x,))[1], (b,), (torch.ones(3),)),
    "jvp-7": lambda: jvp(lambda x: x.clone().mul_(x), (b,), (torch.ones(3),)),
    "jvp-8": lambda: jvp(lambda x: torch.ones(3), (b,), (b,)),
    "jvp-9": lambda: jvp(lambda x: x.max(0), (b,), (b,)),
    "jvp-10": lambda: jvp(
        lambda x: (lambda z: z.__setitem__(0, x[1]) or z * 2)(torch.zeros(3)),
        (b,),
        (torch.ones(3),),
    ),
    "jvp-11": lambda: jvp(
        lambda x: (lambda z: z[1:].mul_(x[0]) is None or z)(x.clone()), (b,), (torch.ones(3),)
    ),
    "jvp-12": lambda: jvp(lambda x: F.gelu(x), (b,), (torch.ones(3),)),
    "jvp-13": lambda: jvp(
        lambda x: torch.linalg.inv(x).sum(), (torch.eye(2) * 2,), (torch.ones(2, 2),)
    ),
    "jvp-14": lambda: jvp(lambda x: x.detach() * x, (b,), (torch.ones(3),)),
    "jvp-15": lambda: jvp(lambda x: torch.svd(x)[1], (a,), (torch.ones(2, 3),)),
    "jacobian-1": lambda: jacrev(lambda x: x**2)(b),
    "jacobian-2": lambda: jacfwd(lambda x: x**2)(b),
    "jacobian-3": lambda: hessian(lambda x: (x**3).sum())(b),
    "jacobian-4": lambda: jacrev(lambda x, y: (x * y, x + y), argnums=(0, 1))(b, b),
    "jacobian-5": lambda: jacfwd(lambda x, y: (x * y, {"s": x.sum()}), argnums=1)(b, b),
    "jacobian-6": lambda: jacrev(lambda x: (x**2, x), has_aux=True)(b),
    "jacobian-7": lambda: jacfwd(lambda x: (x**2, x), has_aux=True)(b),
    "jacobian-8": lambda: vmap(jacrev(lambda x: x**2))(a),
    "jacobian-9": lambda: vmap(hessian(lambda x: (x**3).sum()))(a),
    "jacobian-10": lambda: jacrev(lambda x: x.sum())(b),
    "jacobian-11": lambda: jacfwd(jacrev(lambda x: x.sin().sum()))(b),
    "jacobian-12": lambda: jacrev(lambda x: x**2, chunk_size=2)(b),
    "jacobian-13": lambda: jacrev(jacrev(lambda x: x.exp().sum()))(b),
    "jacobian-14": lambda: vmap(jacfwd(lambda x: x @ x), 0)(a),
    "vjp-1": lambda: vjp(lambda x: x * 2, b)[1](b),
    "vjp-2": lambda: vjp(lambda x: (x * 2, x.sum()), b)[1]((b, T(1.0))),
    "vjp-3": lambda: vjp(lambda x, y: x * y, b, b)[1](b),
    "vjp-4": lambda: vmap(vjp(lambda x: x**2, b)[1])(torch.eye(3)),
    "vjp-5": lambda: vjp(lambda x: x * 2, b)[1](torch.ones(2)),
    "vjp-6": lambda: vjp(lambda x: (x, x), b, has_aux=True)[2],
    "vjp-7": lambda: linearize(torch.sin, b)[1](b),
    "nested-1": lambda: vmap(grad(lambda w, x: (w * x).sum()), (None, 0))(b, a),
    "nested-2": lambda: grad(lambda x: vmap(lambda y: y * x.sum())(a).sum())(b),
    "nested-3": lambda: jvp(lambda x: vmap(lambda y: y * x)(a), (b,), (b,)),
    "nested-4": lambda: vmap(lambda x: jvp(torch.sin, (x,), (x,)))(a),
    "nested-5": lambda: grad(lambda x: jvp(lambda y: (y**3).sum(), (x,), (x,))[1])(b),
    "nested-6": lambda: jvp(grad(lambda x: (x**3).sum()), (b,), (b,)),
    "nested-7": lambda: vmap(vmap(grad(torch.sin)))(a),
    "nested-8": lambda: vmap(lambda v: jvp(grad(lambda x: (x**3).sum()), (b,), (v,))[1])(
        torch.eye(3)
    ),
    "nested-9": lambda: grad(lambda x: vmap(grad(lambda y, z: y**2 * z))(x, b).sum())(b),
    "nested-10": lambda: vmap(grad(lambda x: vmap(lambda y: x.sum() * y)(b).sum()))(a),
}


def seen(result: Any) -> Any:
    """Nested results as lists of [dtype, shape, values]."""
    if isinstance(result, torch.Tensor):
        parts = torch.view_as_real(result) if result.is_complex() else result
        values = parts.detach().reshape(-1).tolist()
        return [str(result.dtype).split(".")[-1], list(result.shape), values]
    if isinstance(result, (tuple, list)):
        return [seen(r) for r in result]
    if isinstance(result, dict):
        return {key: seen(r) for key, r in result.items()}
    return result


def check(got: Any, wanted: Any) -> None:
    if isinstance(wanted, list) and wanted and isinstance(wanted[0], str):
        assert got[:2] == wanted[:2]
        assert np.allclose(got[2], wanted[2], 1e-5, 1e-5, equal_nan=True)
    elif isinstance(wanted, list):
        assert len(got) == len(wanted)
        for g, w in zip(got, wanted):
            check(g, w)
    elif isinstance(wanted, dict):
        assert got.keys() == wanted.keys()
        for key in wanted:
            check(got[key], wanted[key])
    else:
        assert got == wanted


@pytest.mark.parametrize("name", CASES)
def test_as_recorded(name: str) -> None:
    wanted = RECORDED[name]
    if isinstance(wanted, str):
        kinds = {k.__name__: k for k in (RuntimeError, ValueError, IndexError, TypeError)}
        with pytest.raises(kinds[wanted]):
            CASES[name]()
    else:
        check(seen(CASES[name]()), wanted)


def test_every_case_is_recorded() -> None:
    assert RECORDED.keys() == CASES.keys()
