"""Nested containers of tensors, taken apart and put together again."""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

__all__ = [
    "TreeSpec",
    "like",
    "register_pytree_node",
    "tree_flatten",
    "tree_leaves",
    "tree_map",
    "tree_structure",
    "tree_unflatten",
]


@dataclass(frozen=True)
class TreeSpec:
    """How a container was nested: its type (None for a leaf), its keys, its children."""

    type: Any
    context: Any
    children: tuple[TreeSpec, ...]

    @property
    def num_leaves(self) -> int:
        return 1 if self.type is None else sum(c.num_leaves for c in self.children)


LEAF = TreeSpec(None, None, ())

Flatten = Callable[[Any], tuple[list[Any], Any]]
Unflatten = Callable[[list[Any], Any], Any]


def _flatten_dict(d: Any) -> tuple[list[Any], Any]:
    return list(d.values()), tuple(d)


_nodes: dict[type, tuple[Flatten, Unflatten]] = {
    tuple: (lambda t: (list(t), None), lambda c, _: tuple(c)),
    list: (lambda t: (list(t), None), lambda c, _: list(c)),
    dict: (_flatten_dict, lambda c, keys: dict(zip(keys, c))),
    OrderedDict: (_flatten_dict, lambda c, keys: OrderedDict(zip(keys, c))),
    defaultdict: (
        lambda d: (list(d.values()), (d.default_factory, tuple(d))),
        lambda c, k: defaultdict(k[0], zip(k[1], c)),
    ),
    deque: (lambda d: (list(d), d.maxlen), lambda c, n: deque(c, n)),
}


def register_pytree_node(cls: type, flatten: Flatten, unflatten: Unflatten) -> None:
    """Makes instances of a class containers.

    Args:
        cls: the class; its subclasses are registered on their own.
        flatten: gives the children and a context, from an instance.
        unflatten: gives an instance, from children and context.
    """
    _nodes[cls] = (flatten, unflatten)


def _node_of(tree: Any) -> tuple[Any, list[Any], Any] | None:
    kind = type(tree)
    if kind in _nodes:
        children, context = _nodes[kind][0](tree)
        return kind, children, context
    # Named tuples, and the named results of ops, are made from their elements.
    if isinstance(tree, tuple):
        return kind, list(tree), None
    return None


def tree_flatten(tree: Any) -> tuple[list[Any], TreeSpec]:
    """The leaves of nested containers, and how they were nested."""
    node = _node_of(tree)
    if node is None:
        return [tree], LEAF
    kind, children, context = node
    leaves: list[Any] = []
    specs = []
    for child in children:
        more, spec = tree_flatten(child)
        leaves += more
        specs.append(spec)
    return leaves, TreeSpec(kind, context, tuple(specs))


def tree_unflatten(leaves: Any, spec: TreeSpec) -> Any:
    """Containers nested like ``spec`` around leaves.

    Raises:
        ValueError: their number differs from that of ``spec``.
    """
    if isinstance(leaves, TreeSpec):  # PyTorch's older order of arguments
        leaves, spec = spec, leaves
    leaves = list(leaves)
    if len(leaves) != spec.num_leaves:
        raise ValueError(
            f"tree_unflatten: got {len(leaves)} leaves for a structure of {spec.num_leaves}"
        )
    return _built(iter(leaves), spec)


def _built(leaves: Any, spec: TreeSpec) -> Any:
    if spec.type is None:
        return next(leaves)
    children = [_built(leaves, child) for child in spec.children]
    if spec.type in _nodes:
        return _nodes[spec.type][1](children, spec.context)
    return tuple.__new__(spec.type, children)  # past the constructors of named tuples


def like(container: Any, items: Any) -> Any:
    """A list or tuple (named ones too) of a container's type, with other items."""
    if isinstance(container, tuple):
        return tuple.__new__(type(container), list(items))
    return type(container)(items)


def tree_leaves(tree: Any) -> list[Any]:
    """The leaves of nested containers."""
    return tree_flatten(tree)[0]


def tree_structure(tree: Any) -> TreeSpec:
    """How containers are nested."""
    return tree_flatten(tree)[1]


def tree_map(function: Callable[..., Any], tree: Any, *rest: Any) -> Any:
    """The same containers around ``function(leaf, ...)`` of each leaf (of all trees)."""
    leaves, spec = tree_flatten(tree)
    others = [tree_leaves(r) for r in rest]
    return tree_unflatten([function(*each) for each in zip(leaves, *others)], spec)
