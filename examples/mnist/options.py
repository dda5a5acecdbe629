"""The command line of the training program."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import NoReturn

from models import MODELS

# The first learning rate of each optimizer.
LEARNING_RATES = {"adam": 1e-3, "sgd": 0.05}


class BadInput(Exception):
    """Something the user gave cannot be used; the message is one line."""


class Parser(argparse.ArgumentParser):
    """Reports a wrong option in one line instead of the whole usage."""

    def error(self, message: str) -> NoReturn:
        raise BadInput(message)


def positive_int(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not at least 1")
    return number


def count(text: str) -> int:
    number = int(text)
    if number < 0:
        raise argparse.ArgumentTypeError(f"{text} is negative")
    return number


def positive_float(text: str) -> float:
    number = float(text)
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is not a positive number")
    return number


# argparse names the type in its message: "invalid whole number value: 'x'".
count.__name__ = positive_int.__name__ = "whole number"
positive_float.__name__ = "number"


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    """The options, with defaults that depend on others filled in; raises BadInput."""
    parser = Parser(
        prog="train.py",
        description="Train a classifier of handwritten digits on MNIST.",
    )
    add = parser.add_argument
    add("--data", type=Path, default=Path("data"), help="folder of the four MNIST files (data)")
    add("--model", choices=MODELS, default="mlp", help="perceptron (mlp) or convolutional network")
    add("--limit", type=positive_int, metavar="N", help="train on the first N images only")
    add("--epochs", type=positive_int, default=5, help="passes over the images (5)")
    add("--batch-size", type=positive_int, default=64, help="images a step (64)")
    add("--optimizer", choices=LEARNING_RATES, default="adam", help="method of descent (adam)")
    add("--lr", type=positive_float, help="first learning rate (0.001 for adam, 0.05 for sgd)")
    add("--seed", type=int, default=0, help="for the initial weights and the order of images (0)")
    add("--device", default="cpu", help="where to compute (cpu)")
    add("--backend", help="which backend of that device computes, e.g. reference")
    add("--workers", type=count, default=0, metavar="N", help="processes that load images (0)")
    add("--out", type=Path, help="folder for checkpoint.pt and report.png (runs/MODEL)")
    add("--resume", type=Path, metavar="FILE", help="go on from this checkpoint")
    options = parser.parse_args(arguments)
    options.lr = options.lr or LEARNING_RATES[options.optimizer]
    options.out = options.out or Path("runs") / options.model
    return options
