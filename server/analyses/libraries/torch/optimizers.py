"""`torch.optim`: which parameters an optimizer owns, and what `step()` does to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....facts.model import REQUIRED, OptimizerFact
from ...autograd.tensors import Tensor
from ...domain.registry import BASES, by_fact, method_of, model
from ...domain.values import ABSENT, Args, DictV, Instance, ListV, Unknown, Value
from ...operators import cases
from ...python import sequences, weights
from . import hooks
from .nn_modules import clear_grads

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ....facts.model import Param
    from ...python.machine import Machine

OPTIMIZER = "torch.optim.Optimizer"
BASES[OPTIMIZER] = ()


@by_fact(OptimizerFact, "__init__")
def construct(m: Machine, obj: Instance, fact: OptimizerFact, args: Args) -> None:
    """Keep the parameters that are passed to the optimizer, in groups."""
    bound = cases.bind(fact.params, args)
    given = bound.pop("params", args.get(0, "params"))
    options: dict[str, Value] = {p.name: default(p) for p in fact.params if p.name != "params"} | bound
    m.state.set(obj.model_state, "options", options)
    m.state.set(obj.model_state, "model", weights.model_of(m.state.resolve(given)))
    m.state.set(obj.attributes, "defaults", DictV(dict(options)))
    held = sequences.sequence(m, given)
    groups = [group(m, g, options) for g in held.known()]
    tensors = [g for g in groups if isinstance(g, Tensor)]
    check_leaves(m, groups)
    dicts = [g for g in groups if isinstance(g, DictV)]
    if tensors or not dicts:
        params = ListV(tuple(tensors))
        params.open = held.open
        dicts.insert(0, DictV({"params": params, **options}))
    m.state.set(obj.attributes, "param_groups", ListV(tuple(dicts)))
    m.state.set(obj.attributes, "state", DictV())
    obj.attributes["state"].open = True


def default(p: Param) -> Value:
    """A group's value of an option that wasn't passed: the default, which PyTorch stores in each group."""
    return Unknown(p.name) if p.default is REQUIRED else p.default


def check_leaves(m: Machine, groups: Sequence[Value]) -> None:
    """`Optimizer.add_param_group` refuses non-leaves that don't retain their gradient."""
    for t in cases.tensors_in(m, tuple(groups)):
        if m.grad.is_leaf(t, anew=False) is False and not t.retains_grad:
            m.refused("can't optimize a non-leaf Tensor")


def group(m: Machine, v: Value, defaults: dict[str, Value]) -> Value:
    """A parameter group made of a parameter or a dict: its parameters as a list, and missing options by default."""
    v = m.state.pick(v)
    if isinstance(v, tuple) and len(v) == 2 and isinstance(v[0], str):
        return m.state.pick(v[1])
    if isinstance(v, DictV):
        params = m.state.pick(v.items.get("params"))
        items = [params] if isinstance(params, Tensor) else sequences.sequence(m, params).known()
        made = DictV({**v.items, **{k: d for k, d in defaults.items() if v.items.get(k, ABSENT) is ABSENT}})
        made.items["params"] = ListV(tuple(m.state.pick(i) for i in items))
        return made
    return v


def owned(m: Machine, obj: Instance) -> list[Tensor]:
    """The parameters of an optimizer."""
    groups = obj.attributes.get("param_groups")
    if groups is None:
        return []
    found: dict[int, Tensor] = {}
    for g in sequences.sequence(m, groups).known():
        g = m.state.pick(g)
        if isinstance(g, DictV):
            for t in cases.tensors_in(m, g.items.get("params")):
                found[t.uid] = t
    return list(found.values())


@method_of(OPTIMIZER, "__init__")
def init(m: Machine, args: Args) -> Value:
    """`Optimizer.__init__(params, defaults)`, called by an optimizer that the program defines."""
    defaults = m.state.pick(args.get(2, "defaults"))
    options = {str(k): defaults.items[k] for k in sequences.keys(defaults)} if isinstance(defaults, DictV) else {}
    fact = OptimizerFact(OPTIMIZER, (), 1, False, (), False)
    construct(m, args[0], fact, Args(args.pos[1:2], {**args.kw, **options}))
    return None


@method_of(OPTIMIZER, "step")
def step(m: Machine, args: Args) -> Value:
    """`optimizer.step(closure)`: writes every parameter that has a gradient, under `no_grad`."""
    run_hooks(m, args, "step_pre_hooks")
    result = stepped(m, args[0], m.state.resolve(args.get(1, "closure")), args)
    run_hooks(m, args, "step_post_hooks")
    return result


def run_hooks(m: Machine, args: Args, slot: str) -> None:
    """Call an optimizer's hooks of one kind with the arguments of its step (`profile_hook_step`)."""
    for hook in m.state.tuple_of(args[0].model_state.get(slot, ())):
        m.call(hook, Args([args[0], tuple(args.pos), DictV(dict(args.kw))], site=args.site))


def stepped(m: Machine, obj: Instance, closure: Value, args: Args) -> Value:
    """A step without its hooks; returns the result of the closure."""
    result: Value = None
    fact = fact_of(m, obj)
    if closure is not None:
        turns = 2 if fact is not None and fact.needs_closure else 1
        with m.grad.within(grad=True):
            for _ in range(turns):
                result = m.call(closure, Args(site=args.site))
                if turns > 1:
                    write(m, obj, fact)
        if turns > 1:
            return result
    write(m, obj, fact)
    return result


def fact_of(m: Machine, obj: Instance) -> OptimizerFact | None:
    """The fact of an optimizer's class, or of the library class that it is derived from."""
    for c in obj.cls.mro:
        fact = m.facts.table.find(c.qualname) if c.node is None else None
        if isinstance(fact, OptimizerFact):
            return fact
    return None


def write(m: Machine, obj: Instance, fact: OptimizerFact | None) -> None:
    """Change the parameters that have a gradient."""
    options = obj.model_state.get("options", {})
    silent = fact is not None and any(options.get(t.param) == t.value for t in fact.silent_when)
    times = fact.bumps if fact is not None and fact.exact else None
    unseen = weights.of(m, obj.model_state.get("model"))
    if unseen is not None:
        m.grad.bump(unseen, "optimizer.step()", by="optimizer", times=0 if silent else times)
    for t in owned(m, obj):
        g = m.state.resolve(t.grad)
        if g is None or m.grad.requires_grad(t) is False:
            continue
        m.note_gradient(t, is_updated=True)
        m.grad.bump(t, "optimizer.step()", by="optimizer", times=0 if silent else times)


@method_of(OPTIMIZER, "zero_grad")
def zero_grad(m: Machine, args: Args) -> Value:
    """`optimizer.zero_grad(set_to_none)`."""
    clear_grads(m, owned(m, args[0]), m.state.resolve(args.get(1, "set_to_none", True)))
    return None


@method_of(OPTIMIZER, "add_param_group")
def add_param_group(m: Machine, args: Args) -> Value:
    """`optimizer.add_param_group(group)`."""
    groups = args[0].attributes.get("param_groups", ABSENT)
    if isinstance(groups, ListV):
        sequences.append(m, groups, group(m, args.get(1, "param_group"), args[0].model_state.get("options", {})))
    return None


def of_step(kind: str) -> None:
    """Register the method that adds a hook to an optimizer's steps."""

    def run(m: Machine, args: Args) -> Value:
        return hooks.add(m, args[0].model_state, f"{kind}s", args.get(1, "hook"))

    method_of(OPTIMIZER, f"register_{kind}")(run)


of_step("step_pre_hook")
of_step("step_post_hook")


@method_of(OPTIMIZER, "state_dict", "load_state_dict")
def other(m: Machine, args: Args) -> Value:
    """Methods that write no parameter."""
    return Unknown("a value")


# -- norms -----------------------------------------------------------------------------------------------


@model("torch.nn.utils.get_total_norm")
def total_norm(m: Machine, args: Args) -> Value:
    """A norm of gradients."""
    return m.grad.tensor(None, "float32")
