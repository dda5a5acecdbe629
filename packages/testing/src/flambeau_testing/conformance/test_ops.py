"""Every declared op: values, layouts, in-place forms, first and second gradients."""

from __future__ import annotations

from typing import Any

import pytest

from flambeau_testing import op_checks
from flambeau_testing.conformance.capabilities import Capabilities
from flambeau_testing.op_samples import DECLARATIONS, Declaration

pytestmark = pytest.mark.flambeau_conformance


def rows(*, each_dtype: bool = False, **wanted: bool) -> list[Any]:
    """The declarations with these properties, once or for each of their dtypes."""
    seen: dict[str, int] = {}
    result = []
    for op in DECLARATIONS:
        # An op with several declarations (of numbers, of tensors) has numbered ones.
        seen[op.id] = count = seen.get(op.id, 0) + 1
        name = op.id if count == 1 else f"{op.id}#{count}"
        if not all(getattr(op, key) == value for key, value in wanted.items()):
            continue
        for dtype in op.dtypes if each_dtype else (best_dtype(op),):
            result.append(pytest.param(op, dtype, id=f"{name}-{dtype}"))
    return result


def best_dtype(op: Declaration) -> str:
    return next((d for d in ("float64", "float32") if d in op.dtypes), op.dtypes[-1])


def need(capabilities: Capabilities, dtype: str) -> None:
    if reason := capabilities.why_not(dtype):
        pytest.skip(reason)


class TestOps:
    @pytest.mark.parametrize(("op", "dtype"), rows(each_dtype=True))
    def test_values(
        self, op: Declaration, dtype: str, device: str, capabilities: Capabilities
    ) -> None:
        need(capabilities, dtype)
        op_checks.check_values(op, dtype, device)

    @pytest.mark.parametrize(("op", "dtype"), rows(strided=True))
    def test_strided(
        self, op: Declaration, dtype: str, device: str, capabilities: Capabilities
    ) -> None:
        dtype = "float32" if capabilities.why_not(dtype) and dtype == "float64" else dtype
        need(capabilities, dtype)
        op_checks.check_strided(op, dtype, device)

    @pytest.mark.parametrize(("op", "dtype"), rows(inplace=True))
    def test_inplace(
        self, op: Declaration, dtype: str, device: str, capabilities: Capabilities
    ) -> None:
        dtype = "float32" if capabilities.why_not(dtype) and dtype == "float64" else dtype
        need(capabilities, dtype)
        op_checks.check_inplace(op, dtype, device)

    @pytest.mark.parametrize(("op", "dtype"), rows(differentiable=True))
    def test_gradients(
        self, op: Declaration, dtype: str, device: str, capabilities: Capabilities
    ) -> None:
        need(capabilities, "float64")
        op_checks.check_gradients(op, device)

    @pytest.mark.parametrize(("op", "dtype"), rows(differentiable=True))
    def test_second_gradients(
        self, op: Declaration, dtype: str, device: str, capabilities: Capabilities
    ) -> None:
        need(capabilities, "float64")
        op_checks.check_second_gradients(op, device)
