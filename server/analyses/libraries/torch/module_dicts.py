"""`_parameters`, `_buffers`, `_modules`: the dicts in which a module keeps its parts (`module.py`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, MutableMapping
from typing import TYPE_CHECKING

from ...autograd.tensors import Tensor
from ...domain.registry import property_of
from ...domain.values import DictV, Instance, Value
from ...operators import modules

if TYPE_CHECKING:
    from ...python.machine import Machine

MODULE = "torch.nn.Module"


class Part(MutableMapping[str, Value]):
    """The attributes of a module that are of one kind; what is stored here becomes one of that kind."""

    def __init__(self, obj: Instance, slot: str, belongs: Callable[[Value], bool]) -> None:
        self.obj = obj
        self.slot = slot
        self.belongs = belongs

    def __getitem__(self, name: str) -> Value:
        value = self.obj.attributes[name]
        if name in modules.put_in(self.obj, self.slot) or self.belongs(value):
            return value
        raise KeyError(name)

    def __setitem__(self, name: str, value: Value) -> None:
        modules.put(self.obj, self.slot, name)
        self.obj.attributes[name] = value

    def __delitem__(self, name: str) -> None:
        del self.obj.attributes[name]

    def __iter__(self) -> Iterator[str]:
        return iter([name for name in self.obj.attributes if name in self])

    def __len__(self) -> int:
        return sum(1 for _ in self)


def part(obj: Instance, slot: str, belongs: Callable[[Value], bool]) -> DictV:
    """One of a module's dicts."""
    return DictV(Part(obj, slot, belongs))


@property_of(MODULE, "_parameters")
def parameters(m: Machine, obj: Instance) -> Value:
    """`module._parameters`."""

    def belongs(value: Value) -> bool:
        t = m.state.pick(value)
        return isinstance(t, Tensor) and bool(t.is_parameter)

    return part(obj, "_parameters", belongs)


@property_of(MODULE, "_buffers")
def buffers(m: Machine, obj: Instance) -> Value:
    """`module._buffers`."""

    def belongs(value: Value) -> bool:
        t = m.state.pick(value)
        return isinstance(t, Tensor) and bool(t.is_buffer)

    return part(obj, "_buffers", belongs)


@property_of(MODULE, "_modules")
def children(m: Machine, obj: Instance) -> Value:
    """`module._modules`."""
    return part(obj, "_modules", lambda value: modules.is_module(m.state.pick(value)))
