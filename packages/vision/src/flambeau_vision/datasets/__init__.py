"""Image datasets that live in files on disk."""

from flambeau_vision.datasets.mnist import MNIST, FashionMNIST, KMNIST

__all__ = ["MNIST", "FashionMNIST", "KMNIST"]
