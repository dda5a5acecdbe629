"""The forms in which a program may import what it needs, and what stands behind them."""

import importlib
import pkgutil
import subprocess
import sys

import pytest

import flambeau
import flambeau_core
import flambeau_nn
import flambeau_optim


def run(program):
    """What a program prints in a fresh interpreter."""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize(
    "program",
    [
        "import flambeau as torch; print(torch.nn.Linear.__name__)",
        "import flambeau.nn as nn; print(nn.Linear.__name__)",
        "from flambeau import nn, optim; optim.SGD; print(nn.Linear.__name__)",
        "from flambeau.nn import Linear; print(Linear.__name__)",
        "import flambeau.nn.functional as F; F.relu; print('Linear')",
        "from flambeau.nn import functional as F; F.relu; print('Linear')",
        "from flambeau.utils.data import DataLoader, TensorDataset; print('Linear')",
        "import flambeau; flambeau.utils.data.DataLoader; print('Linear')",
        "from flambeau.optim.lr_scheduler import StepLR; print('Linear')",
        "from flambeau.distributions import Normal, constraints, kl; print('Linear')",
        "from flambeau.distributions.normal import Normal; print('Linear')",
        "from flambeau.autograd import Function; print('Linear')",
        "from flambeau.nn.parameter import Parameter; print('Linear')",
        "import flambeau.cuda; flambeau.cuda.is_available(); print('Linear')",
    ],
)
def test_every_form_of_import_works(program):
    assert run(program) == "Linear"


def test_names_are_the_packages_own():
    import flambeau.nn.functional as F
    from flambeau import nn, optim

    assert nn.Linear is flambeau_nn.Linear
    assert nn.functional is F
    assert F.relu is flambeau_nn.functional.relu
    assert optim.Adam is flambeau_optim.Adam
    assert flambeau.add is flambeau_core.add
    assert flambeau.Tensor is flambeau_core.Tensor


def test_importing_loads_core_alone():
    program = (
        "import sys, flambeau; "
        "print(sorted(m for m in sys.modules if m in "
        "('numpy', 'flambeau_nn', 'flambeau_optim', 'flambeau_data', "
        "'flambeau_distributions', 'pluggy', 'importlib.metadata', "
        "'ast', 'dataclasses', 'inspect', 'pathlib', 'tempfile')))"
    )
    assert run(program) == "[]"


def test_modules_are_one_however_they_are_imported():
    program = (
        "import sys, flambeau; first = flambeau.backends; import flambeau.backends; "
        "print(first is flambeau.backends is sys.modules['flambeau.backends'])"
    )
    assert run(program) == "True"


def test_switches_are_set_where_they_are_read():
    program = (
        "import flambeau, flambeau_core; import flambeau.backends.cudnn as cudnn\n"
        "cudnn.benchmark = True; print(flambeau.backends.cudnn.benchmark, "
        "flambeau_core.backends.cudnn.benchmark)\n"
        "with cudnn.flags(benchmark=False): print(cudnn.benchmark)\n"
        "print(cudnn.benchmark)"
    )
    assert run(program).split() == ["True", "True", "False", "True"]


def test_a_package_that_is_not_installed_is_named():
    program = (
        "import sys; sys.modules['flambeau_vision'] = None\n"
        "import importlib.util as u; find = u.find_spec\n"
        "u.find_spec = lambda name: None if name == 'flambeau_vision' else find(name)\n"
        "import flambeau\n"
        "try:\n    flambeau.vision\nexcept ModuleNotFoundError as error:\n    print(error)"
    )
    expected = "flambeau.vision needs the package flambeau-vision: pip install flambeau-vision"
    assert run(program) == expected


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'flambeau' has no attribute 'no_such'"):
        _ = flambeau.no_such


def test_every_shim_can_be_imported_and_lists_its_names():
    modules = [m.name for m in pkgutil.walk_packages(flambeau.__path__, "flambeau.")]
    assert "flambeau.nn.functional" in modules
    for name in modules:
        if name == "flambeau.__main__":
            continue
        module = importlib.import_module(name)
        for listed in getattr(module, "__all__", []):
            assert hasattr(module, listed), f"{name}.{listed}"


def test_dir_lists_names_and_modules():
    assert {"Tensor", "add", "nn", "optim", "utils"} <= set(dir(flambeau))


def test_the_doctor_lists_the_reference_backend():
    done = subprocess.run(
        [sys.executable, "-m", "flambeau", "doctor"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "reference" in done.stdout


def test_version():
    assert str(flambeau.__version__) == str(flambeau_core.__version__) == "0.1.0"
