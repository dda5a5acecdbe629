import pytest

import flambeau_core as fb
import flambeau_nn.functional as F


def test_max_pool1d(close):
    x = fb.tensor([[[1.0, 5.0, 2.0, 3.0]]])
    close(F.max_pool1d(x, 2), [[[5.0, 3.0]]])
    values, indices = F.max_pool1d(x, 2, stride=1, return_indices=True)
    close(values, [[[5.0, 5.0, 3.0]]])
    assert indices.tolist() == [[[1, 1, 3]]]


def test_max_pool3d_indices_count_through_the_volume():
    x = fb.zeros(1, 1, 4, 4, 4)
    x[0, 0, 3, 1, 2] = 1.0
    values, indices = F.max_pool3d(x, 2, return_indices=True)
    assert float(values[0, 0, 1, 0, 1]) == 1.0
    assert int(indices[0, 0, 1, 0, 1]) == 3 * 16 + 1 * 4 + 2
    assert F.max_unpool3d(values, indices, 2).tolist() == x.tolist()


def test_max_pool3d_against_all_windows(values):
    x = values(2, 2, 5, 4, 6)
    pooled = F.max_pool3d(x, (2, 3, 2), stride=(2, 1, 3), padding=(1, 1, 0))
    padded = F.pad(x, (0, 0, 1, 1, 1, 1), value=-100.0)
    windows = padded.unfold(2, 2, 2).unfold(3, 3, 1).unfold(4, 2, 3)
    assert pooled.tolist() == windows.reshape(*windows.shape[:5], -1).max(-1)[0].tolist()


@pytest.mark.parametrize("include", [True, False])
def test_avg_pool3d_against_all_windows(include, values, close):
    x = values(1, 2, 4, 3, 5)
    pooled = F.avg_pool3d(x, 2, 1, 1, count_include_pad=include)
    edges = (1,) * 6

    def sums(tensor):
        cut = F.pad(tensor, edges).unfold(2, 2, 1).unfold(3, 2, 1).unfold(4, 2, 1)
        return cut.reshape(*cut.shape[:5], -1).sum(-1)

    expected = sums(x) / (8 if include else sums(fb.ones_like(x)))
    close(pooled, expected.tolist(), rel=1e-9)
    total = F.avg_pool3d(x, 2, divisor_override=4)
    assert float(total[0, 0, 0, 0, 0]) == pytest.approx(float(x[0, 0, :2, :2, :2].sum()) / 4)


def test_lp_pool(close):
    close(F.lp_pool1d(fb.tensor([[[3.0, 4.0]]]), 2, 2), [[[5.0]]])
    close(F.lp_pool2d(fb.full((1, 1, 2, 2), 2.0), 3.0, 2), [[[[32 ** (1 / 3)]]]])


def test_unpool_puts_values_back(close):
    x = fb.tensor([[[1.0, 5.0, 7.0, 3.0]]])
    values, indices = F.max_pool1d(x, 2, return_indices=True)
    close(F.max_unpool1d(values, indices, 2), [[[0.0, 5.0, 7.0, 0.0]]])
    close(F.max_unpool1d(values, indices, 2, output_size=(5,)), [[[0.0, 5.0, 7.0, 0.0, 0.0]]])
    with pytest.raises(ValueError, match="invalid output_size"):
        F.max_unpool1d(values, indices, 2, output_size=(9,))
    with pytest.raises(RuntimeError, match="should be type int64"):
        F.max_unpool1d(values, values, 2)
    with pytest.raises(RuntimeError, match="Found an invalid max index"):
        F.max_unpool1d(values, indices + 10, 2)


@pytest.mark.parametrize(
    ("pool", "shape"),
    [
        (lambda x: F.max_pool1d(x, 2), (1, 2, 4)),
        (lambda x: F.max_pool2d(x, 2, 1), (1, 1, 3, 3)),
        (lambda x: F.max_pool3d(x, 2, 1), (1, 1, 3, 2, 2)),
        (lambda x: F.avg_pool1d(x, 2, padding=1), (1, 2, 4)),
        (lambda x: F.avg_pool2d(x, 2, padding=1, count_include_pad=False), (1, 1, 3, 3)),
        (lambda x: F.avg_pool3d(x, 2, 1), (1, 1, 2, 3, 2)),
    ],
)
def test_gradients(pool, shape, gradcheck, values):
    gradcheck(pool, values(*shape))


def test_wrong_dimensions():
    with pytest.raises(RuntimeError, match="max_pool3d"):
        F.max_pool3d(fb.zeros(2, 2), 2)
    with pytest.raises(RuntimeError, match="kernel_size must either be a single int"):
        F.max_pool3d(fb.zeros(1, 2, 2, 2), (2, 2))
