import flambeau_core as fb
import flambeau_nn as nn


def test_cosine_similarity(close):
    a, b = fb.tensor([[3.0, 4.0]]), fb.tensor([[4.0, 3.0]])
    close(nn.CosineSimilarity()(a, b), [24 / 25])
    close(nn.CosineSimilarity(dim=0)(a, b), [1.0, 1.0])


def test_pairwise_distance(close):
    a, b = fb.tensor([[0.0, 0.0]]), fb.tensor([[3.0, 4.0]])
    close(nn.PairwiseDistance(eps=0.0)(a, b), [5.0])
    close(nn.PairwiseDistance(1.0, 0.0, keepdim=True)(a, b), [[7.0]])
