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
from functools import partial
from typing import TYPE_CHECKING

from ..autograd.tensors import Tensor
from ..domain.known import attribute
from ..domain.values import ABSENT, Cond, Unknown

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from ..autograd.tensors import Node
    from ..domain.values import Value
    from .machine import Machine

WEIGHTS = "weights"
"""what the key begins with under which the parameters of a model are kept"""

PARAMETERS = ".parameters()"

OF_OPTIMIZERS = frozenset({"optim", "optims", "optimizer", "optimizers", "optimiser", "opt", "opts"})
OF_MODELS = frozenset({"net", "network", "model"})
"""words that the names of optimizers and models have beside what tells which they are"""


def save(m: Machine, node: Node, model: Unknown) -> None:
    """The call of a model saves its parameters."""
    t = of(m, model.key)
    if t is None:
        t = m.grad.tensor(requires_grad=True)
        t.is_parameter, t.label = True, f"{model.why}{PARAMETERS}"
        m.state.set(m.read, (WEIGHTS, model.key), t)
    m.grad.save(node, t, "weight", form="itself")


def of(m: Machine, key: Hashable) -> Tensor | None:
    """What stands for the parameters of a model, by its key; None if it was not called."""
    t = m.state.resolve(m.read.get((WEIGHTS, key), ABSENT))
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
        cond = Cond(("updates", name, model), "named", f"`{name}` updates `{model}`", m.here.site)
        m.state.fork(cond, partial(m.grad.bump, t, "optimizer.step()", "optimizer", None), lambda: None)


def named(m: Machine, optimizer: str) -> Iterator[tuple[str, Tensor]]:
    """The models that an optimizer updates by its name: `critic_optim` is of `critic`, `opt_d` of `discriminator`."""
    parts = words(optimizer)
    rest = [word for word in parts if word not in OF_OPTIMIZERS]
    if not rest or len(rest) == len(parts):
        return
    for key in [key for key in m.read if type(key) is tuple and key[0] == WEIGHTS]:
        t = of(m, key[1])
        model = (t.label or "").removesuffix(PARAMETERS) if t is not None else ""
        own = [word for word in words(model) if word not in OF_MODELS]
        is_short = len(rest) == 1 and len(rest[0]) == 1 and "".join(own).startswith(rest[0])
        if t is not None and (own == rest or is_short):
            yield model, t


def words(name: str) -> list[str]:
    """The words of a name, in small letters: of `self.netD_optim` net, d, optim."""
    return [word.lower() for word in re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+", name.rpartition(".")[2])]
