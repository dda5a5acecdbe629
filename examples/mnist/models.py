"""The two classifiers: a perceptron with one hidden layer and a small convolutional network."""

from __future__ import annotations

from flambeau import nn

SIDE = 28
CLASSES = 10


def mlp() -> nn.Module:
    """101,770 parameters."""
    return nn.Sequential(
        nn.Flatten(),
        nn.Linear(SIDE * SIDE, 128),
        nn.ReLU(),
        nn.Linear(128, CLASSES),
    )


def cnn() -> nn.Module:
    """Two convolutions, each followed by pooling that halves the image; 20,490 parameters."""
    return nn.Sequential(
        nn.Conv2d(1, 16, kernel_size=3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(16, 32, kernel_size=3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(32 * 7 * 7, CLASSES),
    )


MODELS = {"mlp": mlp, "cnn": cnn}
