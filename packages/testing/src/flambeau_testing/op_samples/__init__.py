"""What the tests know about each op: inputs, the same op on NumPy arrays, and where it applies.

One declaration serves the tests of values, gradients, second gradients, strided and empty inputs,
dtypes and in-place forms, on every backend.
"""

from flambeau_testing.op_samples import (
    binary,
    comparison,
    foreach,
    fourier,
    indexing,
    joining,
    layout,
    linear_algebra,
    loss,
    masked,
    neural,
    order,
    product,
    reduction,
    scan,
    shape,
    sparse,
    special,
    ternary,
    unary,
)
from flambeau_testing.op_samples.declaration import Declaration, Sample

__all__ = ["DECLARATIONS", "Declaration", "Sample"]

DECLARATIONS: tuple[Declaration, ...] = (
    *unary.DECLARATIONS,
    *special.DECLARATIONS,
    *binary.DECLARATIONS,
    *comparison.DECLARATIONS,
    *ternary.DECLARATIONS,
    *reduction.DECLARATIONS,
    *scan.DECLARATIONS,
    *order.DECLARATIONS,
    *indexing.DECLARATIONS,
    *shape.DECLARATIONS,
    *layout.DECLARATIONS,
    *joining.DECLARATIONS,
    *product.DECLARATIONS,
    *linear_algebra.DECLARATIONS,
    *neural.DECLARATIONS,
    *loss.DECLARATIONS,
    *fourier.DECLARATIONS,
    *masked.DECLARATIONS,
    *foreach.DECLARATIONS,
    *sparse.DECLARATIONS,
)
