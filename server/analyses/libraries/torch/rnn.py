"""`torch.nn.utils.rnn`: sequences of different lengths, padded or packed."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeGuard

from ....facts.model import ModuleFact
from ...autograd.geometry import Geometry
from ...autograd.tensors import Node, Tensor, Version
from ...domain.mixed import NamedTuple
from ...domain.registry import BASES, class_named, method_of, model
from ...domain.values import Args, Instance, ListV, Unknown, Value
from ...operators import cases, modules
from ...operators.types import described
from ...python import sequences
from ...shapes import UNKNOWN
from .formulas import linked

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...python.machine import Machine
    from ...shapes import Arg

UTILS = "torch.nn.utils.rnn."
PACKED = f"{UTILS}PackedSequence"
BASES[PACKED] = ()


def packed(m: Machine, data: Tensor, sizes: Value = None, orders: tuple[Value, Value] = (None, None)) -> NamedTuple:
    """A PackedSequence over a tensor, with the batch size of each step and how to sort the sequences and back."""
    made = NamedTuple((data, sizes or m.grad.tensor(None, "int64"), *orders))
    made.cls = class_named(m, PACKED)
    made.named = ("data", "batch_sizes", "sorted_indices", "unsorted_indices")
    return made


def is_packed(v: Value) -> TypeGuard[NamedTuple]:
    """Whether a value is a PackedSequence."""
    return isinstance(v, NamedTuple) and v.cls is not None and v.cls.qualname == PACKED


def written(m: Machine, t: Tensor, times: int, exact: bool) -> None:
    """A result that was written this many times before it is returned; at least this many if not `exact`."""
    m.grad.counter(t).current = Version(times, times if exact else None)


@model(f"{UTILS}pad_sequence")
def pad_sequence(m: Machine, args: Args) -> Value:
    """`pad_sequence(sequences, batch_first)`: a new tensor into which all sequences are copied."""
    seq = sequences.sequence(m, args.get(0, "sequences"))
    items = [t for t in seq.known() if isinstance(t, Tensor)]
    made = linked(m, items)
    written(m, made, 1 + len(items), exact=not seq.open)  # filled, then each sequence is written into it
    shapes = [t.shape for t in items if t.shape]
    if shapes and len(shapes) == len(items) and not seq.open:
        lengths = [s[0] for s in shapes]
        longest = max((n for n in lengths if n is not None), default=None) if None not in lengths else None
        first = m.state.resolve(args.get(1, "batch_first", False))
        ahead = (len(items), longest) if first is True else (longest, len(items))
        made.geometry_ = Geometry.contiguous((*ahead, *shapes[0][1:]))
        made.dtype_ = items[0].dtype_
    return made


@model(f"{UTILS}pack_padded_sequence")
def pack_padded_sequence(m: Machine, args: Args) -> Value:
    """`pack_padded_sequence(input, lengths, batch_first, enforce_sorted)`."""
    given, lengths = args.get(0, "input"), described(m, args.get(1, "lengths"))
    return pack(m, given, lengths, args.get(3, "enforce_sorted", True))


@model(f"{UTILS}pack_sequence")
def pack_sequence(m: Machine, args: Args) -> Value:
    """`pack_sequence(sequences, enforce_sorted)`."""
    return pack(m, args.get(0, "sequences"), UNKNOWN, args.get(1, "enforce_sorted", True))


def pack(m: Machine, rows: Value, lengths: Arg, in_order: Value) -> Value:
    """A copy of rows without padding, whose node saves the batch sizes."""
    given = cases.tensors_in(m, m.state.resolve(rows))
    data, sizes = linked(m, given), m.grad.tensor(None, "int64")
    known = [one for one in lengths if isinstance(one, int)] if isinstance(lengths, (list, tuple)) else []
    if known and known == lengths and len(given) == 1 and given[0].shape is not None and len(given[0].shape) > 1:
        data.geometry_ = Geometry.contiguous((sum(known), *given[0].shape[2:]))
    node = m.state.resolve(data.grad_fn)
    if isinstance(node, Node):
        m.grad.save(node, sizes, "result")
    if m.state.resolve(in_order) is not False:
        return packed(m, data, sizes)
    there, back = m.grad.tensor(None, "int64"), m.grad.tensor(None, "int64")
    written(m, back, 1, exact=True)  # `invert_permutation` scatters into new memory
    return packed(m, data, sizes, (there, back))


@model(f"{UTILS}pad_packed_sequence")
def pad_packed(m: Machine, args: Args) -> Value:
    """`pad_packed_sequence(sequence)`: a padded copy, and the lengths; restoring the order copies once more."""
    given = m.state.resolve(args.get(0, "sequence"))
    made = linked(m, cases.tensors_in(m, given)[:1])
    if not is_packed(given) or given[3] is None:
        written(m, made, 2, exact=False)
    return made, m.grad.tensor(None, "int64")


@model(f"{UTILS}unpad_sequence")
def unpad(m: Machine, args: Args) -> Value:
    """`unpad_sequence(padded, lengths)`: transposes its argument in place unless the batch comes first."""
    if m.state.resolve(args.get(2, "batch_first", False)) is False:
        for t in cases.tensors_in(m, args.get(0, "padded_sequences")):
            if m.grad.check_inplace(t, m.grad.requires_grad(t)):
                m.grad.bump(t, "unpad_sequence()", by="library")
            m.state.put(t, Tensor.geometry_, None)
    return unpack(m, args)


@model(f"{UTILS}unpack_sequence")
def unpack(m: Machine, args: Args) -> Value:
    """`unpack_sequence(packed)`: a copy for each sequence."""
    source = cases.tensors_in(m, args.get(0, "padded_sequences"))[:1]
    made = ListV((linked(m, source), linked(m, source)))
    made.open = True
    return made


def composed(m: Machine, result: Value) -> None:
    """A packed run is composed of small operations (`RNN.cpp`), which save neither the results nor the biases."""
    node = m.state.resolve(result[0].grad_fn)
    if isinstance(node, Node):
        outputs = {t.uid for t in cases.tensors_in(m, result)}
        node.saved = tuple(s for s in node.saved if s.tensor.uid not in outputs and ".bias" not in s.role)


def laid_out(m: Machine, module: Value, result: Value) -> Value:
    """The output is the concatenation of all steps; with `batch_first`, a transposed view of it."""
    batch_first = isinstance(module, Instance) and m.state.resolve(module.attributes.get("batch_first")) is True
    output = result[0] if isinstance(result, tuple) else None
    if isinstance(output, Tensor) and output.geometry is not None:
        g, turned = output.geometry, batch_first and output.geometry.ndim == 3
        rows = Geometry.contiguous(g.transpose(0, 1).shape if turned else g.shape)
        output.geometry_ = rows.transpose(0, 1) if turned else rows
    return result


def forward(qualname: str) -> Callable[[Machine, Args], Value]:
    """The forward of a recurrent module, for a tensor or a PackedSequence."""

    def run(m: Machine, args: Args) -> Value:
        fact, given = m.facts.table.find(qualname), m.state.resolve(args.get(1, "input"))
        if not isinstance(fact, ModuleFact):
            return Unknown("a recurrent module's result")
        if not is_packed(given):
            inner = Args(args.pos[1:], args.kw, args.open, args.site, args.exprs)
            return laid_out(m, args[0], modules.by_fact(m, args[0], fact, inner))
        result = modules.by_fact(m, args[0], fact, Args([given[0], *args.pos[2:]], args.kw, args.open, args.site))
        if isinstance(result, tuple) and isinstance(result[0], Tensor):
            composed(m, result)
            return (packed(m, result[0], m.state.resolve(given[1]), (given[2], given[3])), *result[1:])
        return result

    return run


for _name in ("torch.nn.RNN", "torch.nn.GRU", "torch.nn.LSTM"):
    method_of(_name, "forward")(forward(_name))
