"""The processor."""

from __future__ import annotations


def get_cpu_capability() -> str:
    """The widest vector instructions: ``AVX512``, ``AVX2`` or ``DEFAULT``; Linux tells them."""
    try:
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as cpuinfo:
            flags = next((line.split() for line in cpuinfo if line.startswith("flags")), [])
    except OSError:
        return "DEFAULT"
    if "avx512f" in flags:
        return "AVX512"
    return "AVX2" if "avx2" in flags else "DEFAULT"
