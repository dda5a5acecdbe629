import pytest

import flambeau_core as fb
import flambeau_nn.functional as F


def test_pdist(close):
    points = fb.tensor([[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]])
    close(F.pdist(points), [5.0, 1.0, 18**0.5])
    close(F.pdist(points, p=1.0), [7.0, 1.0, 6.0])
    with pytest.raises(RuntimeError, match="pdist: only supports 2D tensors"):
        F.pdist(fb.zeros(2))
    with pytest.raises(RuntimeError, match="non-negative p"):
        F.pdist(points, -1.0)


def test_gradients(gradcheck, values):
    gradcheck(F.cosine_similarity, values(2, 3), values(2, 3, shift=0.2))
    gradcheck(F.pairwise_distance, values(2, 3), values(2, 3, shift=0.2))
    gradcheck(F.pdist, values(3, 2))
