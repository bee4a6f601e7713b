"""Nested containers of tensors (`torch.utils._pytree`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...domain.registry import model
from ...domain.values import Args, DictV, ListV, Value
from ...operators.cases import items_of
from ...python import sequences

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...python.machine import Machine

PYTREE = "torch.utils._pytree."


@model(f"{PYTREE}tree_map")
def tree_map(m: Machine, args: Args) -> Value:
    """`tree_map(f, tree)`: the same containers, with `f` applied to each leaf."""
    return mapped(m, args.get(0, "func"), args.get(1, "tree"))


def mapped(m: Machine, f: Value, tree: Value) -> Value:
    """A tree with `f` applied to its leaves."""
    tree = m.state.resolve(tree)
    if isinstance(tree, tuple):
        return tuple(mapped(m, f, v) for v in tree)
    if isinstance(tree, ListV):
        made = ListV(tuple(mapped(m, f, v) for v in items_of(m, tree)), tree.kind)
        made.open = m.state.pick(tree.open)
        return made
    if isinstance(tree, DictV):
        return DictV({k: mapped(m, f, tree.items[k]) for k in sequences.keys(tree)})
    return m.call(f, Args([tree], site=m.here.site))


@model(f"{PYTREE}tree_leaves")
def tree_leaves(m: Machine, args: Args) -> Value:
    """`tree_leaves(tree)`: a list of the leaves."""
    return ListV(tuple(leaves(m, args.get(0, "tree"))))


def leaves(m: Machine, tree: Value) -> Iterator[Value]:
    """The leaves of a tree, in order."""
    tree = m.state.resolve(tree)
    if isinstance(tree, (tuple, ListV)):
        for v in tree if isinstance(tree, tuple) else items_of(m, tree):
            yield from leaves(m, v)
    elif isinstance(tree, DictV):
        for k in sequences.keys(tree):
            yield from leaves(m, tree.items[k])
    else:
        yield tree
