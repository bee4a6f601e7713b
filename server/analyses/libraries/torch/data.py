"""`torch.utils.data`: datasets, and loaders that make batches of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...autograd.geometry import Geometry
from ...autograd.tensors import Tensor
from ...domain import budget
from ...domain.containers import Seq
from ...domain.registry import BASES, ITERATORS, LENGTHS, STREAMS, class_named, method_of, model
from ...domain.values import Args, DictV, Instance, Lib, ListV, Phi, Unknown, Value
from ...operators.cases import items_of
from ...python import attributes, operators, sequences
from ..python.iterables import map_

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ...python.machine import Machine

DATA = "torch.utils.data."
DATASET = f"{DATA}Dataset"
LOADER = f"{DATA}DataLoader"

BASES[DATASET] = ()
BASES[f"{DATA}IterableDataset"] = (DATASET,)
for _name in ("TensorDataset", "Subset", "ConcatDataset", "ChainDataset", "StackDataset"):
    BASES[f"{DATA}{_name}"] = (DATASET,)
BASES[LOADER] = ()


def model_data(*names: str) -> Callable[[Callable[[Machine, Args], Value]], Callable[[Machine, Args], Value]]:
    """Register a method `Class.method` of this library."""

    def register(f: Callable[[Machine, Args], Value]) -> Callable[[Machine, Args], Value]:
        for name in names:
            cls, _, method = name.partition(".")
            method_of(f"{DATA}{cls}", method)(f)
        return f

    return register


# -- datasets ---------------------------------------------------------------------------------------------


@model_data("Dataset.__init__")
def init(m: Machine, args: Args) -> Value:
    """`Dataset.__init__()`."""
    return None


@model_data("TensorDataset.__init__")
def init_tensors(m: Machine, args: Args) -> Value:
    """`TensorDataset(*tensors)`."""
    m.state.set(args[0].attributes, "tensors", tuple(args.pos[1:]))
    return None


@model_data("TensorDataset.__getitem__")
def tensors_item(m: Machine, args: Args) -> Value:
    """`dataset[i]`: the i-th row of each tensor, a view."""
    tensors = m.state.pick(args[0].attributes["tensors"])
    return tuple(operators.get_item(m, t, args[1]) for t in tensors)


@model_data("Subset.__init__")
def init_subset(m: Machine, args: Args) -> Value:
    """`Subset(dataset, indices)`."""
    obj = args[0]
    m.state.set(obj.attributes, "dataset", args.get(1, "dataset"))
    m.state.set(obj.attributes, "indices", args.get(2, "indices"))
    return None


@model_data("Subset.__getitem__")
def subset_item(m: Machine, args: Args) -> Value:
    """`subset[i]`: the item of the dataset at that index of the subset."""
    obj, index = args[0], m.state.resolve(args[1])
    indices = m.state.pick(obj.attributes["indices"])
    at = operators.get_item(m, indices, index) if isinstance(index, int) else Unknown("an integer")
    return item(m, obj.attributes["dataset"], at if isinstance(at, int) else Unknown("an integer"))


@model_data("ConcatDataset.__init__", "ChainDataset.__init__", "StackDataset.__init__")
def init_several(m: Machine, args: Args) -> Value:
    """`ConcatDataset(datasets)`, `ChainDataset(datasets)`, `StackDataset(*datasets)`."""
    obj = args[0]
    several = args.pos[1:] if obj.cls.derives(f"{DATA}StackDataset") else [args.get(1, "datasets")]
    found = several if len(several) != 1 else sequences.sequence(m, several[0]).known()
    m.state.set(obj.attributes, "datasets", ListV(tuple(found)))
    return None


@model_data("ConcatDataset.__getitem__")
def concat_item(m: Machine, args: Args) -> Value:
    """`concat[i]`: an item of the dataset that has index i; of the first dataset if that is unknown."""
    datasets, index = items_of(m, args[0].attributes["datasets"]), m.state.resolve(args[1])
    for d in datasets:
        n = sequences.length(m, d)
        if not isinstance(index, int) or not isinstance(n, int):
            break
        if index < n:
            return item(m, d, index)
        index -= n
    return item(m, datasets[0], Unknown("an integer")) if datasets else Unknown("an item")


@model_data("StackDataset.__getitem__")
def stack_item(m: Machine, args: Args) -> Value:
    """`stacked[i]`: the i-th item of each dataset."""
    return tuple(item(m, d, args[1]) for d in items_of(m, args[0].attributes["datasets"]))


@model_data("ChainDataset.__iter__")
def chain_items(m: Machine, args: Args) -> Value:
    """Iterating over the datasets one after the other."""
    return m.call(Lib("itertools.chain"), Args(list(items_of(m, args[0].attributes["datasets"]))))


def length_of_first(m: Machine, obj: Instance) -> Value:
    """The length of its first tensor or dataset."""
    parts = (
        m.state.pick(obj.attributes["tensors"])
        if "tensors" in obj.attributes
        else items_of(m, obj.attributes["datasets"])
    )
    return sequences.length(m, parts[0]) if parts else Unknown("a length")


def length_of_all(m: Machine, obj: Instance) -> Value:
    """The length of all its datasets together."""
    n: Value = 0
    for d in items_of(m, obj.attributes["datasets"]):
        n = operators.binary(m, "+", n, sequences.length(m, d))
    return n


LENGTHS[f"{DATA}TensorDataset"] = length_of_first
LENGTHS[f"{DATA}StackDataset"] = length_of_first
LENGTHS[f"{DATA}ConcatDataset"] = length_of_all
LENGTHS[f"{DATA}Subset"] = lambda m, obj: sequences.length(m, obj.attributes["indices"])
ITERATORS[f"{DATA}ChainDataset"] = lambda m, obj: sequences.sequence(m, chain_items(m, Args([obj])))


@model("torch.utils.data.random_split")
def random_split(m: Machine, args: Args) -> Value:
    """`random_split(dataset, lengths)`: subsets; lengths may be fractions."""
    dataset, lengths = args.get(0, "dataset"), sequences.sequence(m, args.get(1, "lengths"))
    n = sequences.length(m, dataset)
    parts: list[Value] = []
    start = 0
    for size in lengths.known():
        size = m.state.resolve(size)
        if isinstance(size, float):
            size = int(n * size) if isinstance(n, int) else Unknown("a size")
        known = isinstance(size, int)
        indices = range(start, start + size) if known else Unknown("indices")
        start += size if known else 0
        parts.append(m.call(class_named(m, f"{DATA}Subset"), Args([dataset, indices])))
    return ListV(tuple(parts))


def item(m: Machine, dataset: Value, index: Value) -> Value:
    """`dataset[index]`."""
    dataset = m.state.pick(dataset)
    if isinstance(dataset, Instance):
        return m.call(attributes.get(m, dataset, "__getitem__"), Args([index], site=m.here.site))
    if isinstance(dataset, ListV) and isinstance(index, Unknown):
        items = items_of(m, dataset)
        return m.state.resolve(items[0]) if items else Unknown("an item")
    return operators.get_item(m, dataset, index)


# -- loaders ----------------------------------------------------------------------------------------------

OPTIONS = ("dataset", "batch_size", "shuffle", "sampler", "batch_sampler", "num_workers", "collate_fn", "pin_memory",
           "drop_last")  # fmt: skip


@model_data("DataLoader.__init__")
def init_loader(m: Machine, args: Args) -> Value:
    """`DataLoader(dataset, batch_size, …)`."""
    obj = args[0]
    defaults = {"batch_size": 1, "drop_last": False}
    for i, name in enumerate(OPTIONS, 1):
        missing = Unknown(name) if args.open else defaults.get(name)
        m.state.set(obj.attributes, name, args.get(i, name, missing))
    return None


def option(m: Machine, loader: Instance, name: str) -> Value:
    """An argument that a loader was made with."""
    return m.state.pick(loader.attributes.get(name))


def is_iterable(v: Value) -> bool:
    """Whether a dataset is read one item after the other."""
    return isinstance(v, Instance) and v.cls.derives(f"{DATA}IterableDataset")


def drawn(m: Machine, loader: Instance) -> Value:
    """How many items an epoch has: as many as the dataset, or the sampler."""
    sampler = option(m, loader, "sampler")
    dataset = loader.attributes.get("dataset", Unknown("a dataset"))
    return sequences.length(m, dataset if sampler is None else sampler)


def batch_count(m: Machine, loader: Instance) -> Value:
    """How many batches an epoch has."""
    n, size = drawn(m, loader), option(m, loader, "batch_size")
    if option(m, loader, "batch_sampler") is not None or is_iterable(option(m, loader, "dataset")):
        return Unknown("a length", ("len", loader.uid))
    if size is None:
        return n
    if not isinstance(n, int) or not isinstance(size, int) or size < 1:
        return Unknown("a length", ("len", loader.uid))
    return n // size if option(m, loader, "drop_last") is True else -(-n // size)


def batches(m: Machine, loader: Instance) -> Seq:
    """An epoch: each batch is made when it is asked for, and again in each epoch."""
    dataset, n = option(m, loader, "dataset"), batch_count(m, loader)
    if is_iterable(dataset):
        stream = sequences.sequence(m, dataset)
        size = option(m, loader, "batch_size")
        if size is None:
            return stream
        return Seq((), True, lambda i: collated(m, loader, [stream.item(i)], None))
    make: Callable[[int], Value] = lambda i: batch(m, loader, i)  # noqa: E731
    known = isinstance(n, int)
    return sequences.sequence_value(Seq(range(n if known else 0), not known), make).seq


def stream(m: Machine, loader: Instance) -> Value:
    """The items of an iterable dataset, one by one, if there are no batches; None for any other dataset."""
    dataset, collate = option(m, loader, "dataset"), option(m, loader, "collate_fn")
    if not is_iterable(dataset) or option(m, loader, "batch_size") is not None:
        return None
    items = sequences.iter_method(m, dataset)
    return items if collate is None or items is None else map_(m, Args([collate, items]))


LENGTHS[LOADER] = batch_count
ITERATORS[LOADER] = batches
STREAMS[LOADER] = stream


def batch(m: Machine, loader: Instance, i: int) -> Value:
    """The i-th batch: the dataset's items at its indices, collated (`_MapDatasetFetcher.fetch`)."""
    size, n = option(m, loader, "batch_size"), drawn(m, loader)
    dataset = loader.attributes["dataset"]
    if option(m, loader, "batch_sampler") is not None:
        return collated(m, loader, [item(m, dataset, Unknown("an integer"))], None)
    if size is None:
        return item(m, dataset, i if isinstance(n, int) else Unknown("an integer"))
    if not isinstance(size, int):
        return collated(m, loader, [item(m, dataset, Unknown("an integer"))], None)
    if not isinstance(n, int):
        return collated(m, loader, [item(m, dataset, Unknown("an integer"))], size)
    places = range(i * size, min((i + 1) * size, n))
    chosen = places if len(places) <= budget.LIMITS.batch else (places[0], places[-1])
    return collated(m, loader, [item(m, dataset, k) for k in chosen], len(places))


def collated(m: Machine, loader: Instance, items: list[Value], size: int | None) -> Value:
    """A batch made of items by the program's `collate_fn`, or by the default."""
    collate = option(m, loader, "collate_fn")
    if not items or isinstance(items[0], Unknown):
        return Unknown("a batch", data=True)
    if collate is None:
        return default_collate(m, items, size)
    given = ListV(tuple(items))
    given.open = size != len(items)
    return m.call(collate, Args([given], site=m.here.site))


@model("torch.utils.data.default_collate", "torch.utils.data.dataloader.default_collate",
       "torch.utils.data._utils.collate.default_collate")  # fmt: skip
def collate(m: Machine, args: Args) -> Value:
    """`default_collate(items)`."""
    seq = sequences.sequence(m, args.get(0, "batch"))
    items = seq.known()
    return default_collate(m, items, None if seq.open else len(items)) if items else Unknown("a batch")


def default_collate(m: Machine, items: Sequence[Value], size: int | None) -> Value:
    """`default_collate`: tensors are stacked, numbers become a tensor, containers are collated by their parts.

    `items` are some of the items, `size` is how many there are, if that is known.
    """
    items = [m.state.pick(v) if isinstance(v, Phi) else v for v in items]
    first = items[0]
    if isinstance(first, Tensor):
        return stacked(m, items, size)
    if isinstance(first, DictV):
        made = DictV({k: default_collate(m, [part(m, v, k) for v in items], size) for k in sequences.keys(first)})
        made.open = m.state.pick(first.open)
        return made
    if isinstance(first, (tuple, ListV)):
        return collated_rows(m, first, items, size)
    if isinstance(first, str):
        return ListV(tuple(items)) if size == len(items) else Unknown("texts")
    shape = (size,) if isinstance(first, (bool, int, float)) else None
    dtype = "float64" if isinstance(first, float) else "int64" if isinstance(first, int) else None
    return m.grad.tensor(Geometry.contiguous(shape) if shape else None, dtype)


def collated_rows(m: Machine, first: Value, items: Sequence[Value], size: int | None) -> Value:
    """Tuples and lists: the first parts of all items are collated, then the second, …; a named tuple stays one."""
    rows = [sequences.sequence(m, v) for v in items]
    n = len(rows[0].known())
    parts = tuple(default_collate(m, [r.item(i) for r in rows], size) for i in range(n))
    if getattr(first, "named", None) is not None:
        from ...domain.mixed import NamedTuple

        made = NamedTuple(parts)
        made.named = first.named
        made.cls = getattr(first, "cls", None)
        return made
    return ListV(parts)


def part(m: Machine, v: Value, key: Value) -> Value:
    """`v[key]` of an item with the same keys as the first one."""
    return operators.get_item(m, v, key) if isinstance(v, DictV) else Unknown("an item")


def stacked(m: Machine, items: Sequence[Value], size: int | None) -> Value:
    """`torch.stack` of tensors, of which only some may be here."""
    batch = m.call(Lib("torch.stack"), Args([ListV(tuple(v for v in items if isinstance(v, Tensor)))]))
    if isinstance(batch, Tensor) and size != len(items):
        shape = items[0].shape
        batch.geometry_ = Geometry.contiguous((size, *shape)) if shape is not None else None
    return batch


for _name in ("RandomSampler", "SequentialSampler", "WeightedRandomSampler", "SubsetRandomSampler", "BatchSampler",
              "Sampler", "distributed.DistributedSampler"):  # fmt: skip
    BASES[f"{DATA}{_name}"] = ()


@model_data("RandomSampler.__init__", "SequentialSampler.__init__", "SubsetRandomSampler.__init__",
            "WeightedRandomSampler.__init__")  # fmt: skip
def init_sampler(m: Machine, args: Args) -> Value:
    """A sampler yields as many indices as its source has, or as many as it is asked for."""
    obj = args[0]
    told = args.kw.get("num_samples", args.get(2, "num_samples") if obj.cls.name == "WeightedRandomSampler" else None)
    source = next(iter(args.pos[1:]), None)
    m.state.set(obj.model_state, "length", told if told is not None else sequences.length(m, source))
    return None


for _name in ("RandomSampler", "SequentialSampler", "WeightedRandomSampler", "SubsetRandomSampler"):
    LENGTHS[f"{DATA}{_name}"] = lambda m, obj: obj.model_state["length"]
