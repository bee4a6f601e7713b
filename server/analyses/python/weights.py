"""The parameters of models that nobody sees: one tensor stands for all that a model has.

def learn(actor, critic, critic_optim, batch):
    q = critic(batch)                       # saves the parameters of `critic`
    loss = -critic(actor(batch)).mean()
    q.mean().backward()
    critic_optim.step()                     # changes them, as its name says
    loss.backward()                         # raises
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..autograd.tensors import Tensor
from ..domain.known import attribute
from ..domain.values import ABSENT, Cond, Unknown

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from ..autograd.tensors import Node
    from ..domain.values import Value
    from .machine import Machine

MODELS = ("weights",)
"""where the models are noted that have been called"""

OF_OPTIMIZERS = frozenset({"optim", "optims", "optimizer", "optimizers", "optimiser", "opt", "opts"})
OF_MODELS = frozenset({"net", "network", "model"})
"""words that the names of optimizers and models have beside what tells which they are"""


def save(m: Machine, node: Node, model: Unknown) -> None:
    """The call of a model saves its parameters."""
    key = (*MODELS, model.key)
    t = m.state.resolve(m.read.get(key, ABSENT))
    if not isinstance(t, Tensor):
        t = m.grad.tensor(requires_grad=True)
        t.is_parameter, t.label = True, f"{model.why}.parameters()"
        m.state.set(m.read, key, t)
        m.state.set(m.read, MODELS, (*m.state.tuple_of(m.read.get(MODELS, ())), model))
    m.grad.save(node, t, "weight", form="itself")


def of(m: Machine, key: Hashable) -> Tensor | None:
    """What stands for the parameters of a model, by its key; None if it was not called."""
    t = m.state.resolve(m.read.get((*MODELS, key), ABSENT))
    return t if isinstance(t, Tensor) else None


def model_of(given: Value) -> Hashable:
    """The key of the model of which these are the parameters, as an optimizer is given them; None for anything else."""
    key = given.key if isinstance(given, Unknown) else None
    method = key[1] if isinstance(key, tuple) and len(key) > 1 and key[0] == "call" else None
    return method[1] if isinstance(method, tuple) and attribute(method) == "parameters" else None


def step(m: Machine, method: Unknown) -> None:
    """Something unknown has done its `step`: one that is called like an optimizer changes the models of its name."""
    name = method.why.rpartition(".")[0]
    for model, t in named(m, name):
        text = f"`{name}` updates `{model.why}`"
        cond = Cond(("updates", name, model.key), "named", text, m.here.site)
        m.state.fork(cond, lambda t=t: m.grad.bump(t, "optimizer.step()", by="optimizer", times=None), lambda: None)  # type: ignore[misc]


def named(m: Machine, optimizer: str) -> Iterator[tuple[Unknown, Tensor]]:
    """The models that an optimizer updates by its name: `critic_optim` is of `critic`, `opt_d` of `discriminator`."""
    parts = words(optimizer)
    rest = [word for word in parts if word not in OF_OPTIMIZERS]
    if not rest or len(rest) == len(parts):
        return
    for model in m.state.tuple_of(m.read.get(MODELS, ())):
        own = [word for word in words(model.why) if word not in OF_MODELS]
        is_short = len(rest) == 1 and len(rest[0]) == 1 and "".join(own).startswith(rest[0])
        t = of(m, model.key)
        if t is not None and (own == rest or is_short):
            yield model, t


def words(name: str) -> list[str]:
    """The words of a name, in small letters: of `self.netD_optim` net, d, optim."""
    return [word.lower() for word in re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+", name.rpartition(".")[2])]
