import copy

import pytest

import flambeau_core as fb
import flambeau_nn as nn
from flambeau_nn.modules import module_hooks


class Double(nn.Module):
    def forward(self, x, times=2):
        return x * times


def test_forward_pre_hook_sees_and_replaces_arguments():
    module, seen = Double(), []
    module.register_forward_pre_hook(lambda m, args: seen.append((m, args)))
    handle = module.register_forward_pre_hook(lambda m, args: args[0] + 1)
    assert module(1) == 4 and seen == [(module, (1,))]
    handle.remove()
    assert module(1) == 2


def test_forward_pre_hook_with_kwargs():
    module = Double()
    module.register_forward_pre_hook(
        lambda m, a, k: (a, {"times": k["times"] + 1}), with_kwargs=True
    )
    assert module(5, times=2) == 15
    module.register_forward_pre_hook(lambda m, a, k: a, with_kwargs=True)
    with pytest.raises(RuntimeError, match="must return None or a tuple of"):
        module(5, times=2)


def test_forward_hook_sees_and_replaces_the_output():
    module, seen = Double(), []
    module.register_forward_hook(lambda m, args, out: seen.append((args, out)))
    module.register_forward_hook(
        lambda m, args, kwargs, out: out + kwargs["times"], with_kwargs=True
    )
    assert module(3, times=2) == 8 and seen == [((3,), 6)]


def test_hooks_run_in_order_and_prepend_goes_first():
    module, seen = Double(), []
    module.register_forward_hook(lambda *_: seen.append("b"))
    module.register_forward_hook(lambda *_: seen.append("a"), prepend=True)
    module(1)
    assert seen == ["a", "b"]


def test_always_called_hook_runs_after_an_error():
    class Broken(nn.Module):
        def forward(self, x):
            raise ValueError("broken")

    module, seen = Broken(), []
    module.register_forward_hook(lambda *_: seen.append("skipped"))
    module.register_forward_hook(lambda *_: seen.append("called"), always_call=True)
    with pytest.raises(ValueError, match="broken"):
        module(1)
    assert seen == ["called"]


def test_handle_is_a_context_and_removes_once():
    module = Double()
    with module.register_forward_hook(lambda *_: 0) as handle:
        assert module(1) == 0
    assert module(1) == 2
    handle.remove()


def test_hooks_are_copied():
    module = Double()
    module.register_forward_hook(lambda *_: 0)
    assert copy.deepcopy(module)(1) == 0


def test_full_backward_hook_sees_gradients(close):
    module, seen = Double(), []
    module.register_full_backward_hook(lambda m, gi, go: seen.append((gi, go)))
    x = fb.tensor([1.0, 2.0], requires_grad=True)
    module(x).sum().backward()
    ((grad_input, grad_output),) = seen
    close(grad_input[0], [2.0, 2.0])
    close(grad_output[0], [1.0, 1.0])
    close(x.grad, [2.0, 2.0])


def test_backward_hooks_replace_gradients(close):
    module = Double()
    module.register_full_backward_pre_hook(lambda m, go: (go[0] * 10,))
    module.register_full_backward_hook(lambda m, gi, go: (gi[0] + 1,))
    x = fb.tensor([1.0], requires_grad=True)
    module(x).sum().backward()
    close(x.grad, [21.0])


def test_backward_hook_has_none_where_no_gradient_flows():
    class Two(nn.Module):
        def forward(self, a, b, flag):
            return a * b, flag

    module, seen = Two(), []
    module.register_full_backward_hook(lambda m, gi, go: seen.append((gi, go)))
    a = fb.tensor([3.0], requires_grad=True)
    module(a, fb.tensor([2.0]), True)[0].backward(fb.tensor([1.0]))
    ((grad_input, grad_output),) = seen
    assert len(grad_input) == 3 and grad_input[1] is None and grad_input[2] is None
    assert grad_input[0].tolist() == [2.0]
    assert grad_output[0].tolist() == [1.0] and grad_output[1] is None


def test_backward_hook_without_gradients_of_inputs():
    module, seen = nn.Linear(1, 1), []
    module.register_full_backward_hook(lambda m, gi, go: seen.append((gi, go)))
    with pytest.warns(UserWarning, match="no inputs require gradients"):
        module(fb.ones(1, 1)).sum().backward()
    ((grad_input, grad_output),) = seen
    assert grad_input == (None,) and grad_output[0].tolist() == [[1.0]]
    assert module.weight.grad is not None


def test_backward_hook_must_return_as_many_gradients():
    module = Double()
    module.register_full_backward_hook(lambda m, gi, go: (gi[0], gi[0]))
    x = fb.tensor([1.0], requires_grad=True)
    with pytest.raises(RuntimeError, match="returned 2 gradients, but 1 were expected"):
        module(x).sum().backward()


def test_global_hooks_reach_every_module():
    seen = []
    handles = [
        module_hooks.register_module_forward_pre_hook(lambda m, args: seen.append("before")),
        module_hooks.register_module_forward_hook(lambda m, args, out: seen.append("after")),
        module_hooks.register_module_full_backward_hook(lambda m, gi, go: seen.append("back")),
    ]
    try:
        x = fb.tensor([1.0], requires_grad=True)
        Double()(x).sum().backward()
    finally:
        for handle in handles:
            handle.remove()
    assert seen == ["before", "after", "back"]
    assert Double()(1) == 2 and len(seen) == 3
    assert not module_hooks.hooks_everywhere  # calls are direct again
