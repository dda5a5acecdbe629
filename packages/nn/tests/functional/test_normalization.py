import flambeau_core as fb
import flambeau_nn.functional as F


def test_normalize(close):
    close(F.normalize(fb.tensor([[3.0, 4.0]])), [[0.6, 0.8]])
    close(F.normalize(fb.tensor([[3.0, 4.0]]), p=1, dim=0), [[1.0, 1.0]])
    close(F.normalize(fb.zeros(1, 2)), [[0.0, 0.0]])
    out = fb.empty(1, 2)
    assert F.normalize(fb.tensor([[3.0, 4.0]]), out=out) is out
    close(out, [[0.6, 0.8]])


def test_normalize_gradient(gradcheck, values):
    gradcheck(F.normalize, values(2, 3))


def test_instance_norm_updates_running_statistics(close):
    mean, var = fb.zeros(1), fb.ones(1)
    x = fb.tensor([[[1.0, 3.0]], [[10.0, 30.0]]])
    F.instance_norm(x, mean, var, momentum=0.5)
    close(mean, [(0.5 * 2 + 0.5 * 20) / 2])
    close(var, [0.5 + 0.5 * (2 + 200) / 2])
    fixed = F.instance_norm(x, fb.tensor([1.0]), fb.tensor([4.0]), use_input_stats=False, eps=0.0)
    close(fixed, [[[0.0, 1.0]], [[4.5, 14.5]]])
