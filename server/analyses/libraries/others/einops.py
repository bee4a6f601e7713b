"""`einops`: patterns of axes, replayed as the reshapes, permutations and expansions that they mean."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from ...autograd.tensors import Tensor
from ...domain.registry import BASES, method_of, model
from ...domain.values import Args, Instance, ListV, Unknown, Value
from ...operators import cases, layouts
from ..torch.formulas import Term, linked, torch

if TYPE_CHECKING:
    from ...autograd.geometry import Geometry
    from ...python.machine import Machine

Group = tuple[str, ...]

REDUCTIONS = {"mean": "mean", "sum": "sum", "max": "amax", "min": "amin", "prod": "prod"}


@dataclass(frozen=True, slots=True)
class Pattern:
    """`b (h w) c -> b c h w`: the groups of axes on both sides."""

    left: tuple[Group, ...]
    right: tuple[Group, ...]


def parse(text: Value, rank: int | None) -> Pattern | None:
    """Parse a pattern; `...` stands for the remaining axes of a known rank. None if it can't be parsed."""
    if not isinstance(text, str) or text.count("->") != 1:
        return None
    left, right = (side_of(s) for s in text.split("->"))
    if ("...",) in left or ("...",) in right:
        if rank is None:
            return None
        more = tuple((f"...{i}",) for i in range(rank - len(left) + 1))
        left, right = (spread(side, more) for side in (left, right))
    return Pattern(left, right)


def side_of(text: str) -> tuple[Group, ...]:
    """The groups of one side."""
    groups: list[Group] = []
    inside: list[str] | None = None
    for word in text.replace("(", " ( ").replace(")", " ) ").split():
        if word == "(":
            inside = []
        elif word == ")":
            groups.append(tuple(inside or ()))
            inside = None
        elif inside is not None:
            inside.append(word)
        else:
            groups.append(() if word == "1" else (word,))
    return tuple(groups)


def spread(side: tuple[Group, ...], more: tuple[Group, ...]) -> tuple[Group, ...]:
    """The groups with `...` expanded."""
    if ("...",) not in side:
        return side
    at = side.index(("...",))
    return (*side[:at], *more, *side[at + 1 :])


def sizes_of(p: Pattern, shape: tuple[int | None, ...] | None, given: dict[str, Value]) -> dict[str, Value]:
    """The size of each single axis: a number if the tensor's shape and the arguments determine it."""
    sizes: dict[str, Value] = {k: v for k, v in given.items() if isinstance(v, int)}
    if shape is not None and len(shape) == len(p.left):
        for group, n in zip(p.left, shape, strict=True):
            unknown = [a for a in group if a not in sizes]
            known = product([sizes[a] for a in group if a in sizes])
            if len(unknown) == 1 and n is not None and isinstance(known, int) and known:
                sizes[unknown[0]] = n // known
    wanted = dict.fromkeys(a for g in (*p.left, *p.right) for a in g)
    return {a: sizes[a] if a in sizes else Unknown("a size", number=True) for a in wanted}


def transformed(m: Machine, x: Tensor, text: Value, given: dict[str, Value], reduction: str | None) -> Value:
    """The tensor that a pattern returns; a pattern without `...` tells how many dimensions its tensor has."""
    p = parse(text, len(x.shape) if x.shape is not None else None)
    if p is None:
        return linked(m, [x]) if reduction is None else torch(m, reduction, x).value
    layouts.tell_rank(m, x, len(p.left))
    return recipe(m, Term(m, x), p, sizes_of(p, x.shape, given), reduction).value


def recipe(m: Machine, x: Term, p: Pattern, sizes: dict[str, Value], reduction: str | None) -> Term:
    """Split the axes, reorder them, reduce, repeat, and merge them.

    Splitting an axis never copies, whatever its size is; nor does adding one of size 1.
    """
    axes = [a for g in p.left for a in g]
    wanted = [a for g in p.right for a in g]
    at = places(x.value.geometry, p) if isinstance(x.value, Tensor) else {}
    if any(len(g) != 1 for g in p.left):
        x = split(m, x, axes, sizes, at)
    kept = [a for a in wanted if a in axes]
    gone = [a for a in axes if a not in wanted]
    order = [axes.index(a) for a in (*kept, *gone)]
    if order != sorted(order):
        x = x.do("permute", tuple(order))
    if gone and reduction is not None:
        x = torch(m, reduction, x, dim=tuple(range(len(kept), len(axes))))
    if len(kept) != len(wanted):
        for i, a in enumerate(wanted):
            if a not in kept:
                x = x.do("unsqueeze", i)
        x = x.do("expand", tuple(-1 if a in kept else sizes.get(a, -1) for a in wanted))
    if any(len(g) != 1 for g in p.right):
        whole = bool(at) and sorted(axes) == sorted(wanted)
        merges = all(at[b] == at[a] + 1 for g in p.right for a, b in pairwise(g)) if whole else None
        if merges is False:
            x = x.do("contiguous")
        may_copy = merges is None and any(len(g) > 1 for g in p.right)
        x = x.do("reshape" if may_copy else "view", tuple(product([sizes[a] for a in g]) for g in p.right))
        if merges is True and all(p.right):
            lies(m, x, together(at, p.right))
    return x


def together(at: dict[str, int], groups: tuple[Group, ...]) -> tuple[int, ...]:
    """The places of the groups, whose axes lie in a row each; two in a row lie as if they were one."""
    found: dict[Group, int] = {}
    end, before = -1, -1
    for group in sorted(groups, key=lambda g: at[g[0]]):
        found[group] = before = before + (1 if at[group[0]] == end + 1 else 2)
        end = at[group[-1]]
    return tuple(found[g] for g in groups)


def lies(m: Machine, x: Term, order: tuple[int, ...]) -> None:
    """Note where the dimensions of a view lie, of which nothing else is known."""
    g = x.value.geometry if isinstance(x.value, Tensor) else None
    if g is not None and g.is_contiguous() is None:
        m.state.put(x.value, Tensor.geometry_, replace(g, order=order))


def places(g: Geometry | None, p: Pattern) -> dict[str, int]:
    """The place of each axis in memory; two in a row lie as if they were one. Nothing if that is unknown."""
    at: dict[str, int] = {}
    if g is None or len(g.places()) != len(p.left):
        return at
    gaps, before = 0, -1
    for place, group in sorted(zip(g.places(), p.left, strict=True)):
        gaps += place != before + 1
        for axis in group:
            at[axis] = len(at) + gaps
        before = place
    return at


def split(m: Machine, x: Term, axes: list[str], sizes: dict[str, Value], at: dict[str, int]) -> Term:
    """A view with an axis for each single one; where each lies is known of it even where its stride isn't."""
    x = x.do("view", tuple(sizes[a] for a in axes))
    if at:
        lies(m, x, tuple(at[a] for a in axes))
    return x


def product(sizes: list[Value]) -> Value:
    """The product of sizes, if all are known."""
    total = 1
    for n in sizes:
        if not isinstance(n, int):
            return Unknown("a size", number=True)
        total *= n
    return total


def applied(m: Machine, v: Value, text: Value, given: dict[str, Value], reduction: str | None = None) -> Value:
    """A pattern applied to a tensor, or to a list of tensors stacked."""
    v = m.state.resolve(v)
    if isinstance(v, Unknown) and (v.parameter or v.data or v.tensor is not None):
        v = m.as_tensor(v)
    if not isinstance(v, Tensor):
        several = cases.tensors_in(m, v)
        return linked(m, several) if several else m.state.each(v, lambda one: one_of(m, one, text, given, reduction))
    return transformed(m, v, m.state.resolve(text), given, reduction)


def one_of(m: Machine, v: Value, text: Value, given: dict[str, Value], reduction: str | None) -> Value:
    """A pattern applied to one alternative."""
    known = {k: m.state.resolve(n) for k, n in given.items()}
    return transformed(m, v, m.state.resolve(text), known, reduction) if isinstance(v, Tensor) else Unknown("a tensor")


@model("einops.rearrange", "einops.repeat")
def rearrange(m: Machine, args: Args) -> Value:
    """`rearrange(tensor, pattern, **sizes)`, `repeat(tensor, pattern, **sizes)`."""
    return applied(m, args.get(0, "tensor"), args.get(1, "pattern"), args.kw)


@model("einops.reduce")
def reduce(m: Machine, args: Args) -> Value:
    """`reduce(tensor, pattern, reduction, **sizes)`."""
    name = m.state.resolve(args.get(2, "reduction"))
    return applied(m, args.get(0, "tensor"), args.get(1, "pattern"), args.kw, REDUCTIONS.get(str(name), "mean"))


@model("einops.einsum")
def einsum(m: Machine, args: Args) -> Value:
    """`einops.einsum(a, b, pattern)`: a product."""
    return linked(m, cases.tensors_in(m, tuple(args.pos)))


@model("einops.pack")
def pack(m: Machine, args: Args) -> Value:
    """`pack(tensors, pattern)`: the tensors joined along the axis `*`, and the shape that each had in its place."""
    before, after = around(m.state.resolve(args.get(1, "pattern")))
    parts, shapes = list[Value](), list[Value]()
    for t in cases.tensors_in(m, args.get(0, "tensors")):
        shape = t.shape
        if shape is None:
            parts.append(t)
            shapes.append(Unknown("a shape"))
            continue
        last = len(shape) - after
        parts.append(Term(m, t).do("reshape", (*shape[:before], -1, *shape[last:])).value)
        shapes.append(shape[before:last])
    joined = torch(m, "cat", ListV(tuple(parts)), before).value
    if isinstance(joined, Tensor):
        layouts.tell_rank(m, joined, before + 1 + after)
    return joined, ListV(tuple(shapes))


@model("einops.unpack")
def unpack(m: Machine, args: Args) -> Value:
    """`unpack(tensor, shapes, pattern)`: views of the parts of a tensor that was packed."""
    x, shapes = m.state.resolve(args.get(0, "tensor")), m.state.resolve(args.get(1, "packed_shapes"))
    before, _ = around(m.state.resolve(args.get(2, "pattern")))
    x = m.as_tensor(x) if isinstance(x, Unknown) else x
    if not isinstance(x, Tensor):
        return Unknown("parts")
    rows = cases.items_of(m, shapes) if isinstance(shapes, ListV) else shapes
    if not isinstance(rows, tuple):
        return linked(m, [x])
    whole = [Term(m, x)] if len(rows) == 1 else [part_of(m, x, before, shape) for shape in rows]
    return ListV(tuple(regrouped(m, part, x, before, shape) for part, shape in zip(whole, rows, strict=True)))


def around(pattern: Value) -> tuple[int, int]:
    """How many axes stand before and behind `*` in a pattern."""
    words = pattern.split() if isinstance(pattern, str) else ["*"]
    before = words.index("*") if "*" in words else 0
    return before, len(words) - before - 1


def part_of(m: Machine, x: Tensor, axis: int, shape: Value) -> Term:
    """The part of a packed tensor that has this shape, somewhere along the axis."""
    length = product(list(shape)) if isinstance(shape, tuple) else Unknown("a size", number=True)
    return Term(m, x).do("narrow", axis, Unknown("a place", number=True), length)


def regrouped(m: Machine, part: Term, x: Tensor, before: int, shape: Value) -> Value:
    """A part of a packed tensor in the shape that it had."""
    if x.shape is None or not isinstance(shape, tuple):
        return part.do("view", Unknown("a shape")).value
    sizes = [
        Unknown("a size", number=True) if n is None else n for n in (*x.shape[:before], *shape, *x.shape[before + 1 :])
    ]
    return part.do("reshape", tuple(sizes)).value


for _name in ("Rearrange", "Reduce"):
    BASES[f"einops.layers.torch.{_name}"] = ("torch.nn.Module",)


@method_of("einops.layers.torch.Rearrange", "__init__")
@method_of("einops.layers.torch.Reduce", "__init__")
def init_layer(m: Machine, args: Args) -> Value:
    """`Rearrange(pattern, **sizes)`."""
    obj: Instance = args[0]
    m.state.set(obj.attributes, "training", True)
    obj.model_state.update(pattern=args.get(1, "pattern"), reduction=args.get(2, "reduction"), sizes=args.kw)
    return None


@method_of("einops.layers.torch.Rearrange", "forward")
@method_of("einops.layers.torch.Reduce", "forward")
def layer(m: Machine, args: Args) -> Value:
    """The pattern applied to the input."""
    state = args[0].model_state
    reduction = REDUCTIONS.get(str(state["reduction"])) if args[0].cls.name == "Reduce" else None
    return applied(m, args.get(1, "input"), state["pattern"], state["sizes"], reduction)
