"""The module `random`: which items it may choose from a sequence; and progress bars around one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...domain.registry import model
from ...domain.values import Args, Lib, ListV, Unknown, Value
from ...python import sequences

if TYPE_CHECKING:
    from ...python.machine import Machine


@model("random.random", "random.uniform", "random.gauss", "random.normalvariate", "random.randint", "random.randrange")
def draw(m: Machine, args: Args) -> Value:
    """`random.random()`, `random.uniform(a, b)`, …: another number each time."""
    return Unknown("a random number", number=True)


@model("random.choice", "secrets.choice")
def choice(m: Machine, args: Args) -> Value:
    """`random.choice(v)`: one of the items; the first stands for it."""
    seq = sequences.sequence(m, args.get(0, "seq"))
    items = seq.known()
    return m.state.resolve(items[0]) if items else Unknown("an item")


@model("random.sample", "random.choices")
def sample(m: Machine, args: Args) -> Value:
    """`random.sample(v, k)`, `random.choices(v, k=k)`: a list of some of the items; the first ones stand for them."""
    seq, k = sequences.sequence(m, args.get(0, "population")), m.state.resolve(args.kw.get("k", args.get(1, "k")))
    items = seq.known()
    count = k if isinstance(k, int) else None
    made = ListV(tuple(items[:count]))
    made.open = count is None or len(items) < count
    return made


@model("random.shuffle")
def shuffle(m: Machine, args: Args) -> Value:
    """`random.shuffle(v)`: the same items; their present order stands for any other."""
    return None


PROGRESS = ("tqdm.tqdm", "tqdm.auto.tqdm", "tqdm.notebook.tqdm", "tqdm.std.tqdm", "tqdm.rich.tqdm",
            "tqdm.tqdm_notebook", "rich.progress.track", "alive_progress.alive_it")  # fmt: skip


@model(*PROGRESS)
def progress(m: Machine, args: Args) -> Value:
    """A progress bar around an iterable is that iterable; one that is updated by hand iterates over nothing."""
    return m.state.resolve(args.get(0, "iterable", Unknown("a progress bar")))


@model("tqdm.trange", "tqdm.auto.trange", "tqdm.notebook.trange")
def trange(m: Machine, args: Args) -> Value:
    """`trange(n)`: a range."""
    return m.call(Lib("range"), Args(args.pos))
