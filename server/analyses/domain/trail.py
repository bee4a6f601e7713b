"""The trail: every write of the replay with the value that was there before, so that it can be undone.

    mark = len(trail.trail)
    trail.set(frame.variables, "y", 1)          # a key of a dict
    trail.put(t, Tensor.grad_fn, node)          # a slot of a record
    trail.undo(mark)                            # both are as they were

A branch is undone so that the other side can be replayed (`paths.py`). A step of a session is undone when the text
before it is edited, and may be done again as it was (`take_back`, `do_again`). What is *noted* instead stays when a
branch is undone, and goes with its step.
"""

from __future__ import annotations

from collections.abc import Hashable, MutableMapping
from typing import TYPE_CHECKING, Any, TypeVar

from .values import ABSENT, SUBCLASSES, Answers, Names, Slot, Value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .values import Object, Phi

T = TypeVar("T")

Store = MutableMapping[Any, Value]
Change = tuple[Any, Any, Value]
"""A dict and a key of it, or a record and its slot, and a value."""

Changes = dict[tuple[int, Hashable], Change]
"""Places, each with its value then or now."""


class Grown(tuple[Value, ...]):
    """The subclasses that a class had, of which the first `known` were there before."""

    known: int


class Trail:
    """What was written so far, the oldest first: in `trail` what branches undo, in `notes` what they leave."""

    def __init__(self) -> None:
        self.trail: list[Change] = []
        self.notes: list[Change] = []

    def set(self, store: Store, key: Hashable, value: Value) -> None:
        """Write `store[key] = value` so that it can be undone."""
        self.trail.append((store, key, store.get(key, ABSENT)))
        store[key] = value

    def delete(self, store: Store, key: Hashable) -> None:
        """Remove `store[key]`, which must be there."""
        self.trail.append((store, key, store.pop(key)))

    def put(self, obj: Object, slot: Slot[T], value: T | Phi) -> None:
        """Write a slot of a record so that it can be undone."""
        self.trail.append((obj, slot, slot.__get__(obj)))
        slot.__set__(obj, value)

    def write(self, store: Any, key: Any, value: Value) -> None:
        """Write a key of a dict, or a slot of a record."""
        if type(key) is Slot:
            self.put(store, key, value)
        else:
            self.set(store, key, value)

    def note(self, obj: Any, name: str, value: Value) -> None:
        """Set an attribute that stays when a branch is undone (a label, the position of a generator)."""
        self.notes.append((obj, name, getattr(obj, name)))
        setattr(obj, name, value)

    def note_item(self, store: Store, key: Hashable, value: Value) -> None:
        """Like `note`, for an item of a dict."""
        self.notes.append((store, key, store.get(key, ABSENT)))
        store[key] = value

    def forget(self, mark: int) -> None:
        """Undo everything that was noted since `mark`."""
        while len(self.notes) > mark:
            obj, name, old = self.notes.pop()
            if not isinstance(obj, dict):
                setattr(obj, name, old)
            elif old is ABSENT:
                del obj[name]
            else:
                obj[name] = old

    def rewind(self, mark: int) -> Changes:
        """Undo all writes since `mark`; gives the values that they left, by place, in the order of the first writes.

        New keys of a store come in that order, which the program may see (the members of a module).
        """
        left = self.left_since(mark)
        self.undo(mark)
        return left

    def undo(self, mark: int) -> None:
        """Undo all writes since `mark`."""
        trail = self.trail
        for store, key, old in reversed(trail[mark:]):
            if type(key) is Slot:
                key.__set__(store, old)
            elif old is ABSENT:
                store.pop(key, None)
            else:
                store[key] = old
        del trail[mark:]

    def take_back(self, mark: int, notes: int) -> tuple[list[Change], list[Change]]:
        """Undo all that was written and noted since, and give what it takes to have that again: each place once."""
        first: dict[tuple[int, Hashable], Change] = {}
        for change in self.trail[mark:]:
            first.setdefault((id(change[0]), change[1]), change)
        del self.trail[mark:]
        written = []
        for store, key, old in in_their_order(list(first.values())):
            if type(key) is Slot:
                written.append((store, key, key.__get__(store)))
                key.__set__(store, old)
            elif old is not ABSENT:
                written.append((store, key, grown(key, old, store.get(key, ABSENT))))
                store[key] = old
            elif (value := store.pop(key, ABSENT)) is not ABSENT:
                written.append((store, key, grown(key, (), value)))
        noted = self.notes[notes:]
        for i in range(len(noted) - 1, -1, -1):
            store, key, _ = noted[i]
            noted[i] = (store, key, noted_in(store, key))
            self.forget(notes + i)
        return written, noted

    def do_again(self, written: Sequence[Change], noted: Sequence[Change]) -> None:
        """Write and note what was taken back. A class gets no subclasses but its new ones."""
        trail = self.trail
        for store, key, value in written:
            if type(key) is Slot:
                trail.append((store, key, key.__get__(store)))
                key.__set__(store, value)
            elif value is ABSENT:
                self.delete(store, key)
            elif type(value) is Grown:
                self.set(store, key, (*store.get(key, ()), *value[value.known :]))
            else:
                trail.append((store, key, store.get(key, ABSENT)))
                store[key] = value
        for store, key, value in noted:
            if isinstance(store, dict):
                self.note_item(store, key, value)
            else:
                self.note(store, key, value)

    def left_since(self, mark: int) -> Changes:
        """The places written since `mark`, each with the value that it has now."""
        changes: Changes = {}
        for store, key, _ in self.trail[mark:]:
            place = (id(store), key)
            if place not in changes:
                changes[place] = (store, key, held(store, key))
        return changes

    def changed_since(self, mark: int) -> Changes:
        """The places written since `mark`, each with the value that it had then."""
        changes: Changes = {}
        for change in self.trail[mark:]:
            place = (id(change[0]), change[1])
            if place not in changes:
                changes[place] = change
        return changes


def in_their_order(changes: list[Change]) -> list[Change]:
    """Changes, with those that bound new names in the order that the names have now: one may have been bound anew."""
    bound: dict[int, list[int]] = {}
    for i, (store, _, old) in enumerate(changes):
        if isinstance(store, Names) and old is ABSENT:
            bound.setdefault(id(store), []).append(i)
    for places in bound.values():
        if len(places) > 1:
            order = {name: i for i, name in enumerate(changes[places[0]][0])}
            some = sorted((changes[i] for i in places), key=lambda change: order.get(change[1], 0))
            for i, change in zip(places, some, strict=True):
                changes[i] = change
    return changes


def grown(key: Any, before: Value, now: Value) -> Value:
    """What is under a key now; of subclasses, how many of them were there before, too."""
    if key is not SUBCLASSES or type(before) is not tuple or type(now) is not tuple:
        return now
    subclasses = Grown(now)
    subclasses.known = len(before)
    return subclasses


def held(store: Any, key: Any) -> Value:
    """The value of a dict under a key (ABSENT if it has none, False of answers), or of a record in a slot."""
    if type(key) is Slot:
        return key.__get__(store)
    return store.get(key, False if type(store) is Answers else ABSENT)


def noted_in(store: Any, key: Any) -> Value:
    """What a dict or an object has where something was noted."""
    return store.get(key, ABSENT) if isinstance(store, dict) else getattr(store, key)
