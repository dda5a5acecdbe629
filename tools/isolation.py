"""Prove that a package works when it is installed alone: import it, and do a little with it.

    python -I tools/isolation.py NAME [INSTALLED ...]

INSTALLED names the packages of this repository that may be present; any other that can be
imported is an error, since it would hide a missing dependency. NumPy may be installed, but
importing must not load it.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

MODULES = {
    "core": "flambeau_core",
    "cpu": "flambeau_cpu",
    "nn": "flambeau_nn",
    "optim": "flambeau_optim",
    "data": "flambeau_data",
    "testing": "flambeau_testing",
    "vision": "flambeau_vision",
    "distributions": "flambeau_distributions",
    "flambeau": "flambeau",
}
# Vision and testing work on NumPy arrays; the others must start without it.
NEED_NUMPY = {"vision", "testing"}


def use_core(core: Any) -> None:
    x = core.tensor([1.0, 2.0], requires_grad=True)
    (x * x).sum().backward()
    assert x.grad.tolist() == [2.0, 4.0]


def use_cpu(cpu: Any) -> None:
    import flambeau_core as core

    use_core(core)
    assert core.plugins.current_backend("cpu") == "cpu"


def use_nn(nn: Any) -> None:
    import flambeau_core as core

    assert nn.Sequential(nn.Linear(3, 2), nn.ReLU())(core.ones(4, 3)).shape == (4, 2)


def use_optim(optim: Any) -> None:
    import flambeau_core as core

    x = core.tensor([1.0], requires_grad=True)
    optimizer = optim.SGD([x], lr=0.5)
    (x * x).sum().backward()
    optimizer.step()
    assert x.tolist() == [0.0]


def use_data(data: Any) -> None:
    import flambeau_core as core

    loader = data.DataLoader(data.TensorDataset(core.arange(6)), batch_size=4)
    assert [batch.tolist() for (batch,) in loader] == [[0, 1, 2, 3], [4, 5]]


def use_testing(testing: Any) -> None:
    import flambeau_core as core

    x = testing.make_tensor(3, dtype=core.float64, requires_grad=True)
    assert testing.gradcheck(core.tanh, x)
    testing.assert_close(x, x.clone())


def use_vision(vision: Any) -> None:
    from PIL import Image

    image = Image.new("L", (4, 4), 255)
    tensor = vision.transforms.ToTensor()(image)
    assert tensor.tolist() == [[[1.0] * 4] * 4]


def use_distributions(distributions: Any) -> None:
    import flambeau_core as core

    normal = distributions.Normal(core.zeros(2), 1.0)
    assert normal.sample((3,)).shape == (3, 2)
    assert distributions.kl_divergence(normal, normal).tolist() == [0.0, 0.0]


def use_flambeau(flambeau: Any) -> None:
    import flambeau.nn.functional as F
    from flambeau import nn, optim
    from flambeau.utils.data import DataLoader, TensorDataset

    assert F.relu(flambeau.tensor([-1.0, 1.0])).tolist() == [0.0, 1.0]
    layer = nn.Linear(2, 1)
    step = optim.SGD(layer.parameters(), lr=0.1)
    for (x,) in DataLoader(TensorDataset(flambeau.ones(4, 2)), batch_size=2):
        layer(x).sum().backward()
        step.step()
    if importlib.util.find_spec("flambeau_vision") is None:
        try:
            flambeau.vision  # noqa: B018
        except ModuleNotFoundError as error:
            assert "pip install flambeau-vision" in str(error)
        else:
            raise AssertionError("flambeau.vision is there without flambeau-vision")


USES: dict[str, Callable[[Any], None]] = {
    "core": use_core,
    "cpu": use_cpu,
    "nn": use_nn,
    "optim": use_optim,
    "data": use_data,
    "testing": use_testing,
    "vision": use_vision,
    "distributions": use_distributions,
    "flambeau": use_flambeau,
}


def main() -> None:
    name, *installed = sys.argv[1:]
    for other, module in MODULES.items():
        if other not in {name, *installed} and importlib.util.find_spec(module) is not None:
            sys.exit(f"{module} is installed too, so that this proves nothing about {name}")
    package = import_module(MODULES[name])
    if name not in NEED_NUMPY and "numpy" in sys.modules:
        sys.exit(f"importing {MODULES[name]} loads NumPy")
    USES[name](package)
    print(f"{MODULES[name]} {package.__version__} works on Python {sys.version.split()[0]}")


if __name__ == "__main__":
    main()
