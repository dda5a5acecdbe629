"""The graph itself: its nodes and edges, and how tensors are kept in it."""

from __future__ import annotations

import contextlib
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from .. import _C
from ..hooks import RemovableHandle

__all__ = [
    "GradientEdge",
    "Node",
    "allow_mutation_on_saved_tensors",
    "disable_saved_tensors_hooks",
    "get_gradient_edge",
    "increment_version",
    "register_multi_grad_hook",
    "save_on_cpu",
    "saved_tensors_hooks",
]

Tensor = _C.Tensor
Node = _C.Node


class GradientEdge(NamedTuple):
    """A place in the graph: an output of a node. ``grad`` and ``backward`` take it as a tensor."""

    node: Any
    output_nr: int


def get_gradient_edge(tensor: Any) -> GradientEdge:
    """Where the gradient of a tensor goes.

    Raises:
        RuntimeError: it needs none.

    Example:

        >>> import flambeau as torch
        >>> w = torch.tensor(3.0, requires_grad=True)
        >>> edge = torch.autograd.graph.get_gradient_edge(w)
        >>> torch.autograd.grad(w**2, edge)
        (tensor(6.),)
    """
    return GradientEdge(_C.gradient_node(tensor), tensor.output_nr)


def increment_version(tensor: Any) -> None:
    """Tells autograd that a tensor, or each of several, was modified behind its back.

    Example:

        >>> import flambeau as torch
        >>> x = torch.zeros(2)
        >>> torch.autograd.graph.increment_version(x)
        >>> x._version
        1
    """
    for t in (tensor,) if isinstance(tensor, Tensor) else tensor:
        _C.increment_version(t)


class saved_tensors_hooks:
    """Within it, tensors saved for backward pass through a pair of hooks.

    ``pack_hook(tensor)`` returns anything; ``unpack_hook`` of that returns a tensor of the same
    values when backward needs it. Of nested pairs the innermost is used.

    Raises:
        RuntimeError: a pack hook modifies its tensor in place, or hooks are disabled.
        TypeError: an unpack hook returns something else than a tensor.

    Example:

        >>> import flambeau as torch
        >>> w = torch.tensor(3.0, requires_grad=True)
        >>> with torch.autograd.graph.saved_tensors_hooks(torch.Tensor.item, torch.tensor):
        ...     y = w**2
        >>> y.backward()
        >>> w.grad
        tensor(6.)
    """

    def __init__(self, pack_hook: Callable[[Any], Any], unpack_hook: Callable[[Any], Any]) -> None:
        self.pack_hook = pack_hook
        self.unpack_hook = unpack_hook

    def __enter__(self) -> None:
        _C.push_saved_tensors_hooks(self.pack_hook, self.unpack_hook)

    def __exit__(self, *exc: object) -> None:
        _C.pop_saved_tensors_hooks()


class save_on_cpu(saved_tensors_hooks):
    """Within it, tensors saved for backward wait in host memory.

    Args:
        pin_memory: in page-locked memory, from where they return while other work goes on.
        device_type: which accelerator they come from; every tensor is moved either way.

    Example:

        >>> import flambeau as torch
        >>> w = torch.tensor(3.0, requires_grad=True)
        >>> with torch.autograd.graph.save_on_cpu():
        ...     y = w**2
        >>> y.backward()
        >>> w.grad
        tensor(6.)
    """

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        def pack(tensor: Any) -> tuple[Any, Any]:
            if not pin_memory or tensor.device.type == "cpu":
                return tensor.device, tensor.cpu()
            return tensor.device, tensor.cpu().pin_memory()

        def unpack(packed: tuple[Any, Any]) -> Any:
            device, tensor = packed
            return tensor.to(device, non_blocking=pin_memory)

        super().__init__(pack, unpack)


@contextlib.contextmanager
def disable_saved_tensors_hooks(error_message: str) -> Iterator[None]:
    """Within it, entering :class:`saved_tensors_hooks` raises RuntimeError with this message."""
    before = _C.disable_saved_tensors_hooks(error_message)
    try:
        yield
    finally:
        _C.disable_saved_tensors_hooks(before)


class _Original:
    """A saved tensor, or its copy from before somebody wrote to it."""

    __slots__ = ("__weakref__", "tensor")

    def __init__(self, tensor: Any) -> None:
        self.tensor = tensor


class _Originals:
    """What :func:`allow_mutation_on_saved_tensors` gives: the tensors that it guards."""

    def __init__(self) -> None:
        self._of_memory: dict[int, list[weakref.ref[_Original]]] = {}

    def pack(self, tensor: Any) -> _Original:
        original = _Original(tensor.detach())
        self._of_memory.setdefault(_memory_of(tensor), []).append(weakref.ref(original))
        return original

    def unpack(self, original: _Original) -> Any:
        return original.tensor

    def before_write(self, tensor: Any) -> None:
        for reference in self._of_memory.pop(_memory_of(tensor), ()):
            original = reference()
            if original is not None:
                original.tensor = original.tensor.clone()

    def clear(self) -> None:
        """Guards them no longer; copies that were made stay."""
        self._of_memory.clear()


def _memory_of(tensor: Any) -> int:
    return int(tensor.untyped_storage().data_ptr())


@contextlib.contextmanager
def allow_mutation_on_saved_tensors() -> Iterator[_Originals]:
    """Within it, tensors saved for backward may be written to: each is copied before.

    Raises:
        RuntimeError: it is entered again inside of itself.
    """
    originals = _Originals()
    if _C.is_write_watched():
        raise RuntimeError("allow_mutation_on_saved_tensors contexts cannot be nested")
    with saved_tensors_hooks(originals.pack, originals.unpack):
        _C.set_write_watcher(originals.before_write)
        try:
            yield originals
        finally:
            _C.set_write_watcher(None)


class _MultiHandle:
    def __init__(self, handles: Sequence[RemovableHandle]) -> None:
        self._handles = handles

    def remove(self) -> None:
        for handle in self._handles:
            handle.remove()

    def __enter__(self) -> _MultiHandle:
        return self

    def __exit__(self, *exc: object) -> None:
        self.remove()


def register_multi_grad_hook(
    tensors: Sequence[Any], fn: Callable[..., None], *, mode: str = "all"
) -> _MultiHandle:
    """Calls ``fn`` once in each backward pass, with the gradients of several tensors.

    Args:
        tensors: tensors that require gradients.
        fn: with ``mode="all"`` it gets a list with the gradient of each, None for one that this
            pass does not reach; with ``"any"`` the first gradient that arrives.
        mode: ``"all"`` or ``"any"``.

    Raises:
        ValueError: another mode.
        RuntimeError: with ``"all"``, when one of the tensors needs no gradient.
    """
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    wait = _all_gradients if mode == "all" else _first_gradient
    return _MultiHandle(wait(list(tensors), fn))


def _first_gradient(tensors: list[Any], fn: Callable[..., None]) -> list[RemovableHandle]:
    lock = threading.Lock()
    done: set[int] = set()

    def hook(grad: Any) -> None:
        run = _C.current_backward()
        with lock:
            if run in done:
                return
            done.add(run)
        fn(grad)

    return [t.register_hook(hook) for t in tensors if t.requires_grad]


def _all_gradients(tensors: list[Any], fn: Callable[..., None]) -> list[RemovableHandle]:
    edges = [get_gradient_edge(t) for t in tensors]
    lock = threading.Lock()
    # Of each backward pass under way: how many gradients will come, those that did.
    passes: dict[int, tuple[int, list[Any], list[int]]] = {}

    def hook_of(place: int) -> Callable[[Any], None]:
        def hook(grad: Any) -> None:
            run = _C.current_backward()
            with lock:
                if run not in passes:
                    coming = sum(_C.will_execute(edge.node) for edge in edges)
                    passes[run] = (coming, [None] * len(edges), [0])
                coming, grads, seen = passes[run]
                grads[place] = grad
                seen[0] += 1
                if seen[0] < coming:
                    return
                del passes[run]
            fn(grads)

        return hook

    return [t.register_hook(hook_of(i)) for i, t in enumerate(tensors)]
