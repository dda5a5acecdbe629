"""Train a classifier of handwritten digits on MNIST; `--help` lists the options.

Prints a line of loss and accuracy for each epoch and writes a checkpoint and a picture of the
loss curve and of test images with their predictions.
"""

from __future__ import annotations

import math
import sys
import time
from argparse import Namespace

import digits
import flambeau
from checkpoint import History, resume, save
from flambeau import nn, optim
from flambeau.utils.data import DataLoader
from models import MODELS
from options import BadInput, parse
from picture import Prediction, draw
from progress import progress

MEASURE_EVERY = 20  # steps whose mean loss is one point of the curve
TEST_BATCH = 500


def open_device(options: Namespace) -> flambeau.device:
    try:
        device = flambeau.device(options.device)
        if options.backend is not None:
            flambeau.plugins.set_backend(device.type, options.backend)
        flambeau.zeros(1, device=device)
    except (RuntimeError, ValueError, ImportError, AssertionError) as error:
        raise BadInput(f"device {options.device}: {str(error).splitlines()[0]}") from error
    return device


def build_optimizer(options: Namespace, model: nn.Module) -> optim.Optimizer:
    if options.optimizer == "sgd":
        return optim.SGD(model.parameters(), lr=options.lr, momentum=0.9)
    return optim.Adam(model.parameters(), lr=options.lr)


def anneal(optimizer: optim.Optimizer, highest: float, done: float) -> None:
    """Set the learning rate: half a cosine from the highest down to zero as `done` goes to 1."""
    for group in optimizer.param_groups:
        group["lr"] = highest * (1 + math.cos(math.pi * done)) / 2


def train_epoch(
    model: nn.Module,
    loader: DataLoader,
    optimizer: optim.Optimizer,
    device: flambeau.device,
    history: History,
) -> float:
    """One pass over the training images; returns their mean loss."""
    model.train()
    loss_function = nn.CrossEntropyLoss()
    step = history.epoch_steps[-1] if history.epoch_steps else 0
    total, count, recent = 0.0, 0, []
    for images, labels in progress(loader, f"epoch {history.epoch + 1}"):
        images, labels = images.to(device), labels.to(device)
        optimizer.zero_grad()
        loss = loss_function(model(images), labels)
        loss.backward()
        optimizer.step()
        value, step = loss.item(), step + 1
        total, count = total + value * len(labels), count + len(labels)
        recent.append(value)
        if len(recent) == MEASURE_EVERY or count == len(loader.dataset):
            history.steps.append(step)
            history.losses.append(sum(recent) / len(recent))
            recent = []
    history.epoch_steps.append(step)
    return total / count


def evaluate(
    model: nn.Module, loader: DataLoader, device: flambeau.device
) -> tuple[float, list[int]]:
    """The mean loss over the test images, and the class predicted for each of them."""
    model.eval()
    loss_function = nn.CrossEntropyLoss(reduction="sum")
    total, predictions = 0.0, []
    with flambeau.no_grad():
        for images, labels in loader:
            scores = model(images.to(device))
            total += loss_function(scores, labels.to(device)).item()
            predictions += scores.argmax(dim=1).tolist()
    return total / len(predictions), predictions


def run(options: Namespace) -> None:
    device = open_device(options)
    training = digits.first(digits.load(options.data, train=True), options.limit)
    test = digits.load(options.data, train=False)
    flambeau.manual_seed(options.seed)
    model = MODELS[options.model]().to(device)
    optimizer = build_optimizer(options, model)
    history = History()
    if options.resume is not None:
        history = resume(options.resume, options.model, model, optimizer)
    try:
        options.out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"cannot make the folder {options.out}: {error.strerror}") from error
    loader = DataLoader(
        training, batch_size=options.batch_size, shuffle=True, num_workers=options.workers
    )
    test_loader = DataLoader(test, batch_size=TEST_BATCH, num_workers=options.workers)
    print(f"{options.model} on {len(training):,} images, {len(test):,} to test, on {device}")
    labels = test.targets.tolist()
    if history.epoch >= options.epochs:
        print(f"{options.resume} has been trained for {history.epoch} epochs already")
    while history.epoch < options.epochs:
        start = time.monotonic()
        anneal(optimizer, options.lr, history.epoch / options.epochs)
        loss = train_epoch(model, loader, optimizer, device, history)
        test_loss, predictions = evaluate(model, test_loader, device)
        accuracy = sum(p == y for p, y in zip(predictions, labels)) / len(labels)
        history.test_losses.append(test_loss)
        history.accuracies.append(accuracy)
        history.epoch += 1
        print(
            f"epoch {history.epoch}/{options.epochs}: loss {loss:.4f}, test loss {test_loss:.4f}, "
            f"test accuracy {accuracy:.2%}, {time.monotonic() - start:.1f} s",
            flush=True,
        )
        save(options.out / "checkpoint.pt", options.model, model, optimizer, history)
    _, predictions = evaluate(model, test_loader, device)
    shown = [Prediction(test.data[i].numpy(), labels[i], p) for i, p in enumerate(predictions)]
    title = f"MNIST, {options.model}: {history.accuracies[-1]:.2%} of {len(test):,} test images"
    draw(options.out / "report.png", title, history, shown)
    print(f"wrote {options.out / 'checkpoint.pt'} and {options.out / 'report.png'}")


def main() -> int:
    try:
        run(parse())
    except BadInput as error:
        print(f"train.py: {' '.join(str(error).split())}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\ntrain.py: stopped", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
