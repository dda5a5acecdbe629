"""The report of a training: its loss curve beside test images with what was seen in them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw, ImageFont

from checkpoint import History

SCALE = 2  # everything is drawn twice as large and then reduced, which smooths the lines
SIZE = (1200, 640)
PLOT = (84, 96, 640, 560)  # left, top, right, bottom of the curve's frame
GRID = (700, 96)  # left and top of the images
COLUMNS, RIGHT_ROWS, WRONG_ROWS = 7, 3, 2
CELL, GAP = (56, 76), 8
INK, FAINT, RULE, PAPER = "#1f2933", "#7b8794", "#e4e7eb", "#ffffff"
TRAIN, TEST, RIGHT, WRONG = "#9fb3c8", "#d64545", "#2f855a", "#c53030"


@dataclass(frozen=True)
class Prediction:
    """A test image [H, W] of bytes, its label, and the class predicted for it."""

    image: Any
    label: int
    predicted: int

    @property
    def is_right(self) -> bool:
        return self.label == self.predicted


class Canvas:
    """Pillow's drawing in the picture's own units."""

    def __init__(self) -> None:
        self.image = Image.new("RGB", (SIZE[0] * SCALE, SIZE[1] * SCALE), PAPER)
        self.pen = ImageDraw.Draw(self.image)

    def text(self, x: float, y: float, text: str, size: int, fill: str, anchor: str) -> None:
        font = ImageFont.load_default(size * SCALE)
        self.pen.text((x * SCALE, y * SCALE), text, fill=fill, font=font, anchor=anchor)

    def line(self, points: list[tuple[float, float]], fill: str, width: float) -> None:
        scaled = [(x * SCALE, y * SCALE) for x, y in points]
        self.pen.line(scaled, fill=fill, width=round(width * SCALE), joint="curve")

    def dot(self, x: float, y: float, radius: float, fill: str) -> None:
        self.pen.circle((x * SCALE, y * SCALE), radius * SCALE, fill=fill, outline=PAPER, width=2)

    def paste(self, x: float, y: float, side: int, pixels: Any) -> None:
        tile = Image.fromarray(255 - pixels).resize((side * SCALE, side * SCALE))
        self.image.paste(tile, (round(x * SCALE), round(y * SCALE)))

    def box(self, x: float, y: float, side: float, outline: str, width: float) -> None:
        corners = (x * SCALE, y * SCALE, (x + side) * SCALE, (y + side) * SCALE)
        self.pen.rectangle(corners, outline=outline, width=round(width * SCALE))

    def save(self, path: Path) -> None:
        self.image.resize(SIZE, Image.Resampling.LANCZOS).save(path)


def draw(path: Path, title: str, history: History, predictions: list[Prediction]) -> None:
    """Write the report as a PNG of 1200 x 640."""
    canvas = Canvas()
    epochs = f"{history.epoch} epoch" + ("s" if history.epoch != 1 else "")
    canvas.text(PLOT[0], 44, f"{title}, after {epochs}", 22, INK, "lm")
    draw_curve(canvas, history)
    draw_images(canvas, predictions)
    canvas.save(path)


def round_step(span: float, count: int) -> float:
    """A step of 1, 2 or 5 times a power of ten that divides a span into about `count` parts."""
    rough = span / count
    power = 10.0 ** math.floor(math.log10(rough))
    return min(m * power for m in (1, 2, 5, 10) if m * power >= rough * 0.999)


def draw_curve(canvas: Canvas, history: History) -> None:
    """The training loss as a line, the test loss of each epoch as dots."""
    left, top, right, bottom = PLOT
    # The first steps are far above the rest and would press it down on the axis.
    settled = sorted(history.losses)[: max(1, math.ceil(0.98 * len(history.losses)))]
    highest = max([*settled, *history.test_losses, 1e-6]) * 1.05
    last = max(history.steps[-1], 1)

    def place(step: float, loss: float) -> tuple[float, float]:
        height = min(loss / highest, 1.0)
        return left + (right - left) * step / last, bottom - (bottom - top) * height

    step = round_step(highest, 6)
    for tick in range(int(highest / step) + 1):
        _, y = place(0, tick * step)
        canvas.line([(left, y), (right, y)], RULE, 1)
        canvas.text(left - 10, y, f"{tick * step:.4g}", 13, FAINT, "rm")
    draw_epochs(canvas, history, place)
    canvas.text(left, top - 20, "loss (cross-entropy)", 13, FAINT, "lm")
    points = [place(s, value) for s, value in zip(history.steps, history.losses)]
    canvas.line(points, TRAIN, 1.6)
    ends = [place(s, value) for s, value in zip(history.epoch_steps, history.test_losses)]
    canvas.line(ends, TEST, 2.2)
    for x, y in ends:
        canvas.dot(x, y, 5, TEST)
    canvas.line([(right - 250, top - 20), (right - 228, top - 20)], TRAIN, 2)
    canvas.text(right - 220, top - 20, "training", 13, INK, "lm")
    canvas.dot(right - 130, top - 20, 5, TEST)
    canvas.text(right - 118, top - 20, "test, by epoch", 13, INK, "lm")


def draw_epochs(canvas: Canvas, history: History, place: Any) -> None:
    """The ends of the epochs on the horizontal axis, as many as there is room for."""
    every = math.ceil(len(history.epoch_steps) / 12)
    for number, step in enumerate(history.epoch_steps, start=1):
        if number % every == 0:
            x, y = place(step, 0.0)
            canvas.line([(x, y), (x, y + 5)], FAINT, 1)
            canvas.text(x, y + 18, str(number), 13, FAINT, "mm")
    canvas.text((PLOT[0] + PLOT[2]) / 2, PLOT[3] + 42, "epoch", 13, FAINT, "mm")


def draw_images(canvas: Canvas, predictions: list[Prediction]) -> None:
    """The first test images, and below them some that were taken for something else."""
    left, top = GRID
    right = predictions[: COLUMNS * RIGHT_ROWS]
    wrong = [p for p in predictions if not p.is_right]
    canvas.text(left, top - 20, "the first test images and what was seen", 13, FAINT, "lm")
    draw_rows(canvas, left, top, right)
    middle = top + RIGHT_ROWS * (CELL[1] + GAP) + 34
    heading = f"of the {len(wrong):,} seen wrongly" if wrong else "none was seen wrongly"
    canvas.text(left, middle - 20, heading, 13, FAINT, "lm")
    draw_rows(canvas, left, middle, wrong[: COLUMNS * WRONG_ROWS])


def draw_rows(canvas: Canvas, left: float, top: float, predictions: list[Prediction]) -> None:
    for number, prediction in enumerate(predictions):
        x = left + number % COLUMNS * (CELL[0] + GAP)
        y = top + number // COLUMNS * (CELL[1] + GAP)
        colour = RIGHT if prediction.is_right else WRONG
        canvas.paste(x, y, CELL[0], prediction.image)
        canvas.box(x, y, CELL[0], RULE if prediction.is_right else WRONG, 1)
        text = str(prediction.predicted)
        if not prediction.is_right:
            text += f", is {prediction.label}"
        canvas.text(x + CELL[0] / 2, y + CELL[0] + 10, text, 13, colour, "mm")
