"""Image datasets that live in files on disk."""

from flambeau_vision.datasets.mnist import KMNIST, MNIST, FashionMNIST

__all__ = ["MNIST", "FashionMNIST", "KMNIST"]
