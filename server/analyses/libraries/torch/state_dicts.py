"""Saving and loading modules: `state_dict()`, `load_state_dict()`, and their hooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...domain.registry import method_of
from ...domain.values import ABSENT, Args, DictV, Instance, Unknown, UnknownKey, Value
from ...operators import modules
from ...python import attributes
from .hooks import of_module
from .nn_modules import MODULE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...autograd.tensors import Tensor
    from ...python.machine import Machine

of_module("state_dict_pre_hooks", "register_state_dict_pre_hook")
of_module("state_dict_hooks", "register_state_dict_post_hook", "_register_state_dict_hook")
of_module("load_state_dict_pre_hooks", "register_load_state_dict_pre_hook")
of_module("load_state_dict_hooks", "register_load_state_dict_post_hook")


def own_tensors(m: Machine, module: Instance) -> Iterator[tuple[str, Tensor]]:
    """The tensors that a module itself saves: its parameters, then its persistent buffers."""
    passing = modules.put_in(module, "_non_persistent_buffers_set")
    for parameters in (True, False):
        for name, t in modules.named_tensors(m, module, parameters, recurse=False):
            if name not in passing:
                yield name, t


def hooks(m: Machine, module: Instance, slot: str) -> tuple[Value, ...]:
    """A module's own hooks of one kind."""
    return tuple(m.state.tuple_of(module.model_state.get(slot, ())))


# -- saving -------------------------------------------------------------------------------------------------


@method_of(MODULE, "state_dict")
def state_dict(m: Machine, args: Args) -> Value:
    """`module.state_dict()`: detached aliases with the same memory and counter; with `keep_vars=True` the tensors."""
    into, prefix = m.state.pick(args.get(1, "destination")), m.state.resolve(args.get(2, "prefix", ""))
    keep = m.state.resolve(args.get(3, "keep_vars", False)) is True
    found = into if isinstance(into, DictV) else DictV()
    return save(m, args[0], found, prefix if isinstance(prefix, str) else "", keep)


def save(m: Machine, obj: Value, into: DictV, prefix: str, keep: bool, above: tuple[Instance, ...] = ()) -> Value:
    """Store the tensors of a module and its submodules in a dict; returns it, or what the hooks replace it by."""
    module = m.state.pick(obj)
    if not isinstance(module, Instance) or module in above:
        return into
    for hook in hooks(m, module, "state_dict_pre_hooks"):
        m.call(hook, Args([module, prefix, keep]))
    for name, t in own_tensors(m, module):
        into.items[prefix + name] = t if keep else m.grad.alias(t)
    for name, child in modules.children(m, module):
        below = f"{prefix}{name}."
        if child.cls.lookup("state_dict") is ABSENT:
            save(m, child, into, below, keep, (*above, module))
        else:
            kw: dict[str, Value] = {"destination": into, "prefix": below, "keep_vars": keep}
            m.call(attributes.get(m, child, "state_dict"), Args([], kw))
    for hook in hooks(m, module, "state_dict_hooks"):
        changed = m.state.pick(m.call(hook, Args([module, into, prefix, DictV()])))
        into = changed if isinstance(changed, DictV) else into
    return into


# -- loading ------------------------------------------------------------------------------------------------


@method_of(MODULE, "load_state_dict")
def load_state_dict(m: Machine, args: Args) -> Value:
    """`module.load_state_dict(d)`: copies into the tensors under no_grad; with `assign=True` swaps them."""
    if m.state.resolve(args.get(3, "assign")) is True:
        return Unknown("keys")
    partial = m.state.resolve(args.get(2, "strict", True)) is False
    load(m, args[0], m.state.pick(args.get(1, "state_dict")), "", partial)
    return Unknown("keys")


def load(m: Machine, obj: Value, given: Value, prefix: str, partial: bool, above: tuple[Instance, ...] = ()) -> None:
    """Write the tensors of a module and its submodules; with `strict=False`, only those that the dict has."""
    module = m.state.pick(obj)
    if not isinstance(module, Instance) or module in above:
        return
    for hook in hooks(m, module, "load_state_dict_pre_hooks"):
        m.call(hook, Args([module, given, prefix, DictV(), not partial, *([Unknown("keys")] * 3)]))
    for name, t in own_tensors(m, module):
        if not partial or has(m, given, prefix + name):
            m.grad.bump(t, "load_state_dict()", by="library")
    for name, child in modules.children(m, module):
        load(m, child, given, f"{prefix}{name}.", partial, (*above, module))
    for hook in hooks(m, module, "load_state_dict_hooks"):
        m.call(hook, Args([module, Unknown("keys")]))


def has(m: Machine, given: Value, key: str) -> bool:
    """Whether a dict may have a key."""
    if not isinstance(given, DictV) or given.open or any(isinstance(k, UnknownKey) for k in given.items):
        return True
    return m.state.resolve(given.items.get(key, ABSENT)) is not ABSENT
