"""Transforms of functions as levels of dispatch: vmap, forward mode, reverse mode.

From the ground up: ``levels`` (which transforms run), ``tensors`` and ``duals`` (what they make of
tensors), ``dispatch`` (which level an op goes to), ``batching`` and ``tangents`` (what a level does
with an op), ``reverse`` (gradients as an op), ``functions`` (custom functions), ``vmap`` and
``forward`` (how a level is entered). ``flambeau_core.func`` is what users see of it.
"""

from . import batching, functions, tangents

__all__ = ["batching", "functions", "tangents"]
