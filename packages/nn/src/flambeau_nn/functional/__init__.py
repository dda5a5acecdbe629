"""The computations of the layers as functions, with PyTorch's names and arguments."""

# ruff: noqa: F403
from . import (
    activation,
    adaptive_pooling,
    affine,
    attention,
    classification_loss,
    convolution,
    ctc,
    distance,
    dropouts,
    grid_sampling,
    interpolation,
    lookup,
    margin_loss,
    normalization,
    padding,
    pooling,
    rearrangement,
    regression_loss,
)
from .activation import *
from .adaptive_pooling import *
from .affine import *
from .attention import *
from .classification_loss import *
from .convolution import *
from .ctc import *
from .distance import *
from .dropouts import *
from .grid_sampling import *
from .interpolation import *
from .lookup import *
from .margin_loss import *
from .normalization import *
from .padding import *
from .pooling import *
from .rearrangement import *
from .regression_loss import *

__all__: list[str] = []
__all__ += activation.__all__
__all__ += adaptive_pooling.__all__
__all__ += affine.__all__
__all__ += attention.__all__
__all__ += classification_loss.__all__
__all__ += convolution.__all__
__all__ += ctc.__all__
__all__ += distance.__all__
__all__ += dropouts.__all__
__all__ += grid_sampling.__all__
__all__ += interpolation.__all__
__all__ += lookup.__all__
__all__ += margin_loss.__all__
__all__ += normalization.__all__
__all__ += padding.__all__
__all__ += pooling.__all__
__all__ += rearrangement.__all__
__all__ += regression_loss.__all__
