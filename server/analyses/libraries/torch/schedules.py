"""Companions of optimizers: learning-rate schedules and averaged weights."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...domain.registry import BASES, method_of, model
from ...domain.values import ABSENT, Args, DictV, Instance, ListV, Unknown, Value
from ...operators import modules
from ...python import operators, sequences
from .tensors import Copier

if TYPE_CHECKING:
    from ...python.machine import Machine

SCHEDULER = "torch.optim.lr_scheduler.LRScheduler"
AVERAGED = "torch.optim.swa_utils.AveragedModel"

BASES[SCHEDULER] = ()
for _name in ("_LRScheduler", "StepLR", "MultiStepLR", "ExponentialLR", "CosineAnnealingLR", "LambdaLR", "LinearLR",
              "CosineAnnealingWarmRestarts", "ReduceLROnPlateau", "OneCycleLR", "CyclicLR", "ConstantLR",
              "PolynomialLR", "MultiplicativeLR", "SequentialLR", "ChainedScheduler"):  # fmt: skip
    BASES[f"torch.optim.lr_scheduler.{_name}"] = (SCHEDULER,)
BASES["torch.optim.swa_utils.SWALR"] = (SCHEDULER,)
BASES[AVERAGED] = ("torch.nn.Module",)


@method_of(SCHEDULER, "__init__")
def init(m: Machine, args: Args) -> Value:
    """`StepLR(optimizer, …)`: changes no tensor; the groups remember their initial rates."""
    d = args[0].attributes
    m.state.set(d, "optimizer", args.get(1, "optimizer"))
    m.state.set(d, "last_epoch", Unknown("an epoch", number=True))
    for group in groups(m, args[0]):
        if group.items.get("initial_lr", ABSENT) is ABSENT:
            m.state.set(group.items, "initial_lr", group.items["lr"])
    m.state.set(d, "base_lrs", ListV(tuple(group.items["initial_lr"] for group in groups(m, args[0]))))
    return step(m, args)


def groups(m: Machine, scheduler: Instance) -> list[DictV]:
    """The groups of a scheduler's optimizer that have a learning rate."""
    optimizer = m.state.resolve(scheduler.attributes.get("optimizer"))
    kept = optimizer.attributes.get("param_groups") if isinstance(optimizer, Instance) else None
    items = m.state.tuple_of(kept.items) if isinstance(kept, ListV) else ()
    return [group for group in items if isinstance(group, DictV) and "lr" in group.items]


@method_of(SCHEDULER, "step", "load_state_dict")
def step(m: Machine, args: Args) -> Value:
    """`scheduler.step()` changes the learning rates in the optimizer's groups."""
    for group in groups(m, args[0]):
        m.state.set(group.items, "lr", Unknown("a learning rate", number=True))
    return None


@method_of(SCHEDULER, "state_dict")
def state_dict(m: Machine, args: Args) -> Value:
    """`scheduler.state_dict()`: numbers."""
    return Unknown("a state")


@method_of(SCHEDULER, "get_last_lr", "get_lr")
def rates(m: Machine, args: Args) -> Value:
    """The learning rates, one per group."""
    many = len(groups(m, args[0]))
    made = ListV(tuple(Unknown("a learning rate", number=True) for _ in range(max(many, 1))))
    made.open = not many
    return made


# -- averages -----------------------------------------------------------------------------------------------


@method_of(AVERAGED, "__init__")
def averaged(m: Machine, args: Args) -> Value:
    """`AveragedModel(model)`: a deep copy."""
    m.state.set(args[0].attributes, "training", True)
    copied = Copier(m).copy(args.get(1, "model"))
    m.state.set(args[0].attributes, "module", copied)
    if isinstance(copied, Instance):
        copied.within = args[0], ".module"
    return None


@method_of(AVERAGED, "update_parameters")
def update_parameters(m: Machine, args: Args) -> Value:
    """`averaged.update_parameters(model)` writes the copy's parameters and buffers, under `no_grad`."""
    for flag in (True, False):
        for _, t in modules.named_tensors(m, args[0], flag):
            m.grad.bump(t, "update_parameters()", by="library")
    return None


@model("torch.optim.swa_utils.update_bn")
def update_bn(m: Machine, args: Args) -> Value:
    """`update_bn(loader, model)`: runs the model on all batches, under `no_grad` (`swa_utils.py`)."""
    batches = sequences.sequence(m, args.get(0, "loader"))
    model_, batch = m.state.pick(args.get(1, "model")), batches.item(0)
    if isinstance(batch, (tuple, ListV)):
        batch = operators.get_item(m, batch, 0)
    if isinstance(model_, Instance):
        with m.grad.within(grad=False):
            m.call(model_, Args([batch], site=m.here.site))
    return None
