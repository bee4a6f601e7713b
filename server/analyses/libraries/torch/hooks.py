"""Hooks: functions that modules call around their forward, and backward with gradients."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...autograd.tensors import Node, Tensor
from ...domain.registry import BASES, class_named, method_of, model, property_of
from ...domain.trail import held
from ...domain.values import ABSENT, Args, DictV, Instance, Value, Wrapped
from .nn_modules import MODULE

if TYPE_CHECKING:
    from ...python.machine import Machine

HANDLE = "torch.utils.hooks.RemovableHandle"
BASES[HANDLE] = ()


def add(m: Machine, holder: Any, slot: Any, hook: Value, first: bool = False) -> Instance:
    """Register a hook in a dict of hooks under a key, or in a slot of a tensor; returns its handle.

    One that is registered on one side of a branch is only called where that side was taken.
    """
    known = held(holder, slot)
    present = m.state.tuple_of(known)
    more: Value = (hook, *present) if first else (*present, hook)
    m.state.write(holder, slot, m.state.where(more, m.state.sides, ()) if known is ABSENT else more)
    handle = Instance(class_named(m, HANDLE), m.here.site)
    handle.model_state["remove"] = (holder, slot, hook)
    return handle


@method_of(HANDLE, "remove")
@method_of(HANDLE, "__exit__")
def remove(m: Machine, args: Args) -> Value:
    """`handle.remove()`."""
    holder, slot, hook = args[0].model_state["remove"]
    m.state.write(holder, slot, tuple(h for h in m.state.tuple_of(held(holder, slot)) if h is not hook))
    return None


# -- of modules -----------------------------------------------------------------------------------------


def of_module(slot: str, *names: str) -> None:
    """Register the methods that add a hook of one kind to a module."""

    def run(m: Machine, args: Args) -> Value:
        hook = args.get(1, "hook")
        if m.state.resolve(args.kw.get("with_kwargs")) is True:
            hook = Wrapped(hook, "with_kwargs")
        return add(m, args[0].model_state, slot, hook, m.state.resolve(args.kw.get("prepend")) is True)

    method_of(MODULE, *names)(run)


of_module("hooks", "register_forward_hook")
of_module("pre_hooks", "register_forward_pre_hook")
of_module("backward_hooks", "register_full_backward_hook", "register_full_backward_pre_hook")


@property_of(MODULE, "_forward_pre_hooks")
def forward_pre_hooks(m: Machine, obj: Instance) -> Value:
    """`module._forward_pre_hooks`, to be read: a hook is removed by its handle."""
    hooks = m.state.tuple_of(obj.model_state.get("pre_hooks", ()))
    return DictV({i: hook.function if isinstance(hook, Wrapped) else hook for i, hook in enumerate(hooks)})


def of_all(slot: str, name: str) -> None:
    """Register a function that adds a hook of one kind to all modules."""

    def run(m: Machine, args: Args) -> Value:
        return add(m, class_named(m, MODULE).attributes, (slot,), args.get(0, "hook"))

    model(f"torch.nn.modules.module.{name}")(run)


of_all("hooks", "register_module_forward_hook")
of_all("pre_hooks", "register_module_forward_pre_hook")
of_all("backward_hooks", "register_module_full_backward_hook")


# -- of tensors -----------------------------------------------------------------------------------------


@method_of("torch.Tensor", "register_hook")
def register_hook(m: Machine, args: Args) -> Value:
    """`t.register_hook(hook)`: the first hook is registered with the present grad_fn.

    Later hooks join it there (`_register_hook_dict`), even if the tensor, a view, has another grad_fn by then; but not
    if the tensor itself was written since.
    """

    def one(t: Tensor) -> Value:
        holder, hook = m.state.resolve(t.hooked), args.get(1, "hook")
        if not isinstance(holder, (Node, Tensor)):
            fn = m.grad.grad_fn(t)
            holder = fn if isinstance(fn, Node) else t
            m.state.put(t, Tensor.hooked, holder)
        return (
            add(m, holder.hooks, m.grad.output_nr(t), hook)
            if isinstance(holder, Node)
            else add(m, holder, Tensor.hooks, hook)
        )

    return m.state.each(args[0], one)


@method_of("torch.Tensor", "register_post_accumulate_grad_hook")
def register_post_accumulate_grad_hook(m: Machine, args: Args) -> Value:
    """`t.register_post_accumulate_grad_hook(hook)`."""
    return m.state.each(args[0], lambda t: add(m, t, Tensor.post_accumulate_hooks, args.get(1, "hook")))
