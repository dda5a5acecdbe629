"""Moving values between channels and space, straight from core."""

from flambeau_core.nn_ops import channel_shuffle, pixel_shuffle, pixel_unshuffle

__all__ = ["channel_shuffle", "pixel_shuffle", "pixel_unshuffle"]
