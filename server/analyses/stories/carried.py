"""What leads from one turn of a loop into the graph of an earlier one: the tensors, and the names that hold them.

    h = torch.zeros(3)
    for x in batches:
        h = torch.tanh(h @ w + x)   # from the second turn on, `h @ w` leads to the last turn's `tanh`
        h.sum().backward()          # … which this backward runs again: its saved tensors are freed

The `h` of the last turn is the crossing (`crossings`). Of this turn's variables, `h` holds what was made at the same
place (`holders`), so `h = h.detach()` behind the backward would cut the graph there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..autograd.tensors import Node, Tensor
from ..domain.values import ABSENT, DictV, Instance, ListV, Value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ..domain.report import Site
    from .witness import Witness

DEPTH = 3


def crossings(m: Witness, running: Sequence[Node], before: Callable[[Node], bool]) -> list[Tensor]:
    """The tensors by which nodes of this turn lead to nodes from `before`; `running` are those of a backward.

    `CopySlices` keeps no inputs: `written` finds where it leads.
    """
    found: dict[int, Tensor] = {}
    for consumer in running:
        if consumer.inputs and not before(consumer):
            for edge, fed in zip(consumer.edges, consumer.fed, strict=False):  # what fed some may not be known
                fn = m.state.pick(edge)  # not that of the input as it is now: it may have been changed in place since
                if isinstance(fn, Node) and before(fn) and fed is not None:
                    t = consumer.inputs[fed[0]]
                    found[t.uid] = t
    return list(found.values())


def written(m: Witness, running: Sequence[Node], before: Callable[[Node], bool]) -> Site | None:
    """Where this turn has written into a tensor that holds the graph of an earlier turn."""
    for consumer in running:
        if consumer.name == "CopySlices" and not before(consumer):
            base = m.state.pick(consumer.edges[0]) if consumer.edges else None
            if isinstance(base, Node) and before(base):
                return consumer.site
    return None


def holders(m: Witness, tensors: Sequence[Tensor]) -> tuple[tuple[str, str], ...]:
    """The names in the running function that hold this turn's versions of the tensors, each with its layout."""
    found: dict[str, str] = {}
    for name, v in named_values(m):
        kind = layout(m, v)
        if kind is not None and any(follows(m, u, t) for u in inside(m, v) for t in tensors):
            found[name] = kind
    return tuple(found.items())


def named_values(m: Witness) -> Iterator[tuple[str, Value]]:
    """The variables of the running function, and the attributes of the objects among them, and of those of these."""
    for name, v in list(m.frame.variables.items()):
        for inner, one in attributes(m, name, m.state.pick(v)):
            yield from attributes(m, inner, one)


def attributes(m: Witness, name: str, v: Value) -> Iterator[tuple[str, Value]]:
    """The attributes of an object that has a name, each with its own; for another value, the value itself."""
    if isinstance(v, Instance):
        yield from ((f"{name}.{attr}", m.state.pick(x)) for attr, x in v.attributes.items() if isinstance(attr, str))
    else:
        yield name, v


def follows(m: Witness, now: Tensor, then: Tensor) -> bool:
    """Whether a tensor has the role that another had in an earlier turn: it was bound or made at the same place."""
    if now is then:
        return False
    if now.bound is not None and then.bound is not None and now.bound.node is then.bound.node:
        return True
    a, b = m.state.pick(now.grad_fn), m.state.pick(then.grad_fn)
    return (
        isinstance(a, Node)
        and isinstance(b, Node)
        and a.site is not None
        and b.site is not None
        and (a.site.node is b.site.node)
    )


def inside(m: Witness, v: Value, depth: int = 0) -> Iterator[Tensor]:
    """The tensors in a value, through tuples, lists and dicts."""
    if isinstance(v, Tensor):
        yield v
    elif depth < DEPTH:
        for one in items(m, v) or ():
            yield from inside(m, one, depth + 1)


def items(m: Witness, v: Value) -> list[Value] | None:
    """The items of a container; None for anything else."""
    if isinstance(v, tuple):
        return [m.state.pick(x) for x in v]
    if isinstance(v, ListV):
        return [m.state.pick(x) for x in m.state.tuple_of(v.items)]
    if isinstance(v, DictV):
        return [m.state.pick(x) for x in v.items.values() if x is not ABSENT]
    return None


def layout(m: Witness, v: Value, depth: int = 0) -> str | None:
    """How a value holds tensors: `tensor`, `tuple`, `list`, `dict`, or nested as in `dict/list`.

    None if it holds none, or other things as well.
    """
    if isinstance(v, Tensor):
        return "tensor"
    held = items(m, v)
    if not held or depth == DEPTH:
        return None
    kinds = {layout(m, one, depth + 1) for one in held}
    if len(kinds) != 1:
        return None
    inner = kinds.pop()
    outer = "tuple" if isinstance(v, tuple) else v.kind
    if inner is None or outer not in ("tuple", "list", "dict") or getattr(v, "named", None) is not None:
        return None
    return outer if inner == "tensor" else f"{outer}/{inner}"


def graphs(m: Witness, v: Value, path: str = "{}", depth: int = 0) -> Iterator[str]:
    """Where a value holds tensors with a graph: expressions with `{}` for it, a `*` before those of collections."""
    v = m.state.pick(v)
    if isinstance(v, Tensor):
        if m.grad.requires_grad(v) is not False and m.grad.is_leaf(v) is False:
            yield path
    elif isinstance(v, Instance) and depth < DEPTH:
        for name, one in v.attributes.items():
            if isinstance(name, str):
                yield from graphs(m, one, f"{path}.{name}", depth + 1)
    elif depth < DEPTH and (held := items(m, v)):
        mapping = isinstance(v, DictV)
        if all(isinstance(one, Tensor) for one in held):
            if any(True for one in held for _ in graphs(m, one)):
                yield f"*{path}.values()" if mapping else f"*{path}"
        else:
            keys = [k for k, x in v.items.items() if x is not ABSENT] if mapping else range(len(held))
            for key, one in zip(keys, held, strict=True):
                if isinstance(key, (str, int)):
                    yield from graphs(m, one, f"{path}[{key!r}]", depth + 1)
