"""Values that PyTorch gave in float64, with the parameters written beside them."""

import json
from pathlib import Path

import pytest

import flambeau_core as fb
import flambeau_distributions as dist

FOLDER = Path(__file__).parent
VALUES = json.loads((FOLDER / "recorded_values.json").read_text())["rows"]
DIVERGENCES = json.loads((FOLDER / "recorded_divergences.json").read_text())["rows"]
# Parameters that are numbers, not tensors.
NUMBERS = {"dim", "total_count"}


def make(name, parameters):
    arguments = {
        key: value
        if key in NUMBERS and isinstance(value, int)
        else fb.tensor(value, dtype=fb.float64)
        for key, value in parameters.items()
    }
    return getattr(dist, name)(**arguments)


def _id(row):
    return f"{row['distribution']}({', '.join(row['parameters'])})"


@pytest.mark.parametrize("row", VALUES, ids=_id)
def test_values(row, close):
    distribution = make(row["distribution"], row["parameters"])
    dtype = fb.int64 if row["distribution"] == "Categorical" else fb.float64
    value = fb.tensor(row["value"], dtype=dtype)
    quantiles = fb.tensor([0.125, 0.75], dtype=fb.float64)
    actual = {
        "log_prob": lambda: distribution.log_prob(value),
        "cdf": lambda: distribution.cdf(value),
        "icdf": lambda: distribution.icdf(quantiles),
        "entropy": distribution.entropy,
        "mean": lambda: distribution.mean,
        "mode": lambda: distribution.mode,
        "variance": lambda: distribution.variance,
    }
    recorded = actual.keys() & row.keys()
    assert "log_prob" in recorded
    for quantity in recorded:
        close(actual[quantity](), row[quantity], rel=1e-9)


@pytest.mark.parametrize("row", DIVERGENCES, ids=lambda row: f"{row['p']}-{row['q']}")
def test_divergences(row, close):
    p = make(row["p"], row["p_parameters"])
    q = make(row["q"], row["q_parameters"])
    close(dist.kl_divergence(p, q), row["value"], rel=1e-9)


# Of a Pareto variable of these parameters x ** 2 has no variance: the mean tells nothing.
@pytest.mark.parametrize(
    "row",
    [row for row in DIVERGENCES if (row["p"], row["q"]) != ("Pareto", "Normal")],
    ids=lambda row: f"{row['p']}-{row['q']}",
)
def test_divergences_are_means_of_log_ratios(row, within_error):
    p = make(row["p"], row["p_parameters"])
    q = make(row["q"], row["q_parameters"])
    drawn = p.sample((5000,))
    within_error(p.log_prob(drawn) - q.log_prob(drawn), dist.kl_divergence(p, q))
