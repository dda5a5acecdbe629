"""A device that Flambeau has never heard of, installed with pip beside its wheels.

`python -m nox -s third_party` builds the wheels and runs these tests.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from environment import Environment

TRAIN = Path(__file__).with_name("train.py")


def test_is_found_through_its_entry_point(environment: Environment) -> None:
    done = environment.run("-m", "flambeau_core", "doctor")
    rows = [line.split() for line in done.stdout.splitlines()]
    assert ["toy", "toy", "flambeau-toy", "1.0", "1", "ready"] in rows
    assert ["cpu", "cpu", "flambeau-cpu"] in [row[:3] for row in rows]


def test_costs_nothing_until_it_is_used(environment: Environment) -> None:
    code = """
import sys
import flambeau_core as torch

torch.ones(2) + 1
print("flambeau_toy" in sys.modules)
torch.ones(2, device="toy")
print("flambeau_toy.backend" in sys.modules)
"""
    assert environment.output(code).split() == ["False", "True"]


def test_computes_in_its_own_memory(environment: Environment) -> None:
    code = """
import flambeau_core as torch

x = torch.arange(6.0).reshape(2, 3).to("toy")
print(x.device, (x @ x.t()).tolist(), x.sum(0).tolist(), (x[:, 1:] * 2 + x[0, 1]).tolist())
x[1] = 0
print(x.cpu().tolist())
try:
    x.numpy()
except TypeError as error:
    print(error)
"""
    assert environment.output(code).splitlines() == [
        "toy:0 [[5.0, 14.0], [14.0, 50.0]] [3.0, 5.0, 7.0] [[3.0, 5.0], [9.0, 11.0]]",
        "[[0.0, 1.0, 2.0], [0.0, 0.0, 0.0]]",
        "can't convert toy:0 device type tensor to numpy. Use Tensor.cpu() to copy the tensor to "
        "host memory first.",
    ]


def test_memory_is_given_back(environment: Environment) -> None:
    code = """
import flambeau_core as torch
from flambeau_core.plugins.registry import open_backend

x = torch.zeros(1000, device="toy")
for _ in range(100):
    x = x + 1
print(x.sum().item(), len(open_backend("toy").driver.ask("buffers")))
"""
    assert environment.output(code) == "100000.0 1"


def test_a_missing_kernel_is_an_error(environment: Environment) -> None:
    code = """
import flambeau_core as torch

try:
    torch.sqrt(torch.ones(2, device="toy"))
except NotImplementedError as error:
    print(error)
"""
    assert environment.output(code) == (
        "\"sqrt\" not implemented for 'Float' on device 'toy' (backend 'toy'); "
        "set_cpu_fallback(True) lets missing kernels run on the cpu"
    )


FALLBACK = """
import warnings
import flambeau_core as torch

x = torch.full((2,), 4.0, device="toy")
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    print([f(x).tolist() for f in (torch.sqrt, torch.sqrt, torch.log2)])
for warning in caught:
    print(warning.message)
"""


def test_fallback_warns_once_for_each_kernel(environment: Environment) -> None:
    lines = environment.output(FALLBACK, FLAMBEAU_CPU_FALLBACK="1").splitlines()
    assert lines[0] == "[[2.0, 2.0], [2.0, 2.0], [2.0, 2.0]]"
    assert [line.split()[0] for line in lines[1:]] == ["'sqrt'", "'log2'"]
    assert all("'toy' and runs on the cpu instead" in line for line in lines[1:])


def test_trains_a_perceptron(environment: Environment) -> None:
    done = environment.run(str(TRAIN), "toy")
    assert done.returncode == 0, done.stderr
    losses = [float(line) for line in done.stdout.split()]
    assert len(losses) == 24
    assert losses[-1] < losses[0] / 2
    # Everything that the chip cannot do is named, once, as running on the CPU.
    fallen_back = [line for line in done.stderr.splitlines() if "has no kernel on" in line]
    assert any("'where'" in line for line in fallen_back)
    assert not any("'matmul'" in line for line in fallen_back)
    assert len(fallen_back) == len(set(fallen_back))

    on_cpu = environment.run(str(TRAIN), "cpu")
    assert losses == pytest.approx([float(line) for line in on_cpu.stdout.split()], rel=1e-4)


def test_passes_the_conformance_kit(environment: Environment) -> None:
    kit = ("--pyargs", "flambeau_testing.conformance", "--device", "toy")
    done = environment.run("-m", "pytest", "-q", "-p", "no:cacheprovider", *kit)
    assert done.returncode == 0, done.stdout[-4000:]
    summary = done.stdout.splitlines()[-1]
    assert int(summary.split(" passed")[0].split()[-1]) > 400
    # What is missing is named, and what the chip has is not among it.
    missing = next(line for line in done.stdout.splitlines() if " primitives missing: " in line)
    names = missing.split(": ")[1].split(", ")
    assert "sqrt" in names
    assert not {"copy", "fill", "add", "sub", "mul", "exp", "sum", "matmul"} & set(names)


@pytest.mark.parametrize(
    ("op", "expression", "devices"),
    [
        ("add", "here + there", "cpu and toy:0"),
        ("matmul", "there @ here.t()", "toy:0 and cpu"),
        ("cat", "torch.cat([here, there])", "cpu and toy:0"),
        ("linear", "nn_ops.linear(there, here)", "toy:0 and cpu"),
        ("mul", "torch.mul(here, here, out=there)", "cpu and toy:0"),
    ],
)
def test_devices_do_not_mix(
    environment: Environment, op: str, expression: str, devices: str
) -> None:
    code = f"""
import flambeau_core as torch
from flambeau_core import nn_ops

here, there = torch.ones(2, 3), torch.ones(2, 3, device="toy")
try:
    {expression}
except RuntimeError as error:
    print(error)
"""
    assert environment.output(code).startswith(
        f"{op}: Expected all tensors to be on the same device, but found at least two devices, "
        f"{devices}!"
    )


def test_files_bring_tensors_back_or_elsewhere(environment: Environment) -> None:
    code = """
import flambeau_core as torch

torch.save({"weight": torch.ones(2, device="toy")}, "toy.pt")
print(torch.load("toy.pt")["weight"].device, torch.load("toy.pt", map_location="cpu")["weight"])
"""
    assert environment.output(code) == "toy:0 tensor([1., 1.])"
