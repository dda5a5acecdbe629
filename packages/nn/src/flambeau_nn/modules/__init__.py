"""Every layer, one family a file."""

# ruff: noqa: F403
from . import (
    activation,
    attention,
    batchnorm,
    containers,
    conv,
    distance,
    dropout,
    flatten,
    linear,
    loss,
    module,
    normalization,
    padding,
    parameter_containers,
    pooling,
    resizing,
    rnn,
    rnn_cells,
    sparse,
    transformer,
)
from .activation import *
from .attention import *
from .batchnorm import *
from .containers import *
from .conv import *
from .distance import *
from .dropout import *
from .flatten import *
from .linear import *
from .loss import *
from .module import *
from .normalization import *
from .padding import *
from .parameter_containers import *
from .pooling import *
from .resizing import *
from .rnn import *
from .rnn_cells import *
from .sparse import *
from .transformer import *

__all__: list[str] = []
__all__ += activation.__all__
__all__ += attention.__all__
__all__ += batchnorm.__all__
__all__ += containers.__all__
__all__ += conv.__all__
__all__ += distance.__all__
__all__ += dropout.__all__
__all__ += flatten.__all__
__all__ += linear.__all__
__all__ += loss.__all__
__all__ += module.__all__
__all__ += normalization.__all__
__all__ += padding.__all__
__all__ += parameter_containers.__all__
__all__ += pooling.__all__
__all__ += resizing.__all__
__all__ += rnn.__all__
__all__ += rnn_cells.__all__
__all__ += sparse.__all__
__all__ += transformer.__all__
