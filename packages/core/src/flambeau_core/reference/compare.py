"""Comparisons and logical connectives: bool outputs."""

from __future__ import annotations

from flambeau_core.reference.binary import ufunc
from flambeau_core.reference.table import Kernel

KERNELS = {
    "eq": Kernel(ufunc("equal"), "bifc"),
    "ne": Kernel(ufunc("not_equal"), "bifc"),
    "lt": Kernel(ufunc("less"), "bif"),
    "le": Kernel(ufunc("less_equal"), "bif"),
    "gt": Kernel(ufunc("greater"), "bif"),
    "ge": Kernel(ufunc("greater_equal"), "bif"),
    "logical_and": Kernel(ufunc("logical_and"), "bifc"),
    "logical_or": Kernel(ufunc("logical_or"), "bifc"),
    "logical_xor": Kernel(ufunc("logical_xor"), "bifc"),
}
