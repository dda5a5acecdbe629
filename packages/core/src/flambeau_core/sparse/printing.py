"""The text of sparse tensors."""

from __future__ import annotations

from typing import Any

import flambeau_core as fb
from flambeau_core.printing import suffixes

__all__ = ["sparse_text"]


def sparse_text(tensor: Any) -> str:
    """The coordinates and values as dense tensors, then what is to be said of the whole."""
    values = tensor._values()
    # What goes for the values is said once, at the end.
    plain = values.to(fb.get_default_dtype()) if values.is_floating_point() else values
    parts = []
    places = {"indices": tensor._indices()}
    if tensor.layout is fb.sparse_csr:
        places = {"crow_indices": tensor.crow_indices(), "col_indices": tensor.col_indices()}
    for name, part in (*places.items(), ("values", plain)):
        text = repr(part).replace(f", dtype={fb.int64}", "")
        if not part.numel() and part.ndim == 1:
            text = f"tensor([], size={tuple(part.shape)})"
        lines = text.split("\n")
        indent = " " * (len("tensor(") + len(name) + 1)
        parts.append(f"{name}=" + "\n".join([lines[0], *(indent + x for x in lines[1:])]))
    facts = [f"size={tuple(tensor.shape)}", f"nnz={tensor._nnz()}"]
    told = [s for s in suffixes(tensor._stored_values) if not s.startswith("size=")]
    before = [s for s in told if s.startswith(("dtype", "device"))]
    after = [s for s in told if s not in before]
    parts.append(", ".join([*facts, *before, f"layout={tensor.layout}", *after]))
    return "tensor(" + (",\n" + " " * len("tensor(")).join(parts) + ")"
