"""The graph of a call that is made of several operators: a node for each result, and one for what they share.

    values, vectors = torch.linalg.eigh(a)      # one node with two results
    torch._foreach_exp_([x, y])                 # a node each: a backward from `x` reads nothing of `y`
    h, c = torch.lstm_cell(…)                   # a node each, and one for the gates that both were made of

The facts (`facts/branches.py`) say which results have a node of their own, and what each of them saves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..autograd.tensors import Node, Tensor, either
from ..domain.values import ListV
from .cases import tensors_in

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ...facts.branches import Branches, Part
    from ..autograd.tensors import Grad, SavedTensor
    from ..domain.values import Value
    from .call import Call
    from .interpreter import Interpreter

LINK = "self"
"""the parameter by which a node of one result takes what the node that several results share gives it"""


def parted(
    m: Interpreter, node: Node, call: Call, grads: Mapping[str, Grad], results: Sequence[Tensor]
) -> list[Node | None]:
    """Take the node of a call apart, if its results have nodes of their own; gives the node of each result.

    `grads` says which of the parameters require grad.
    """
    told = m.facts.branches.find(call.name)
    if told is None or not results:
        return [node] * len(results)
    m.grad.forget(node)
    cut = Cut(m, node, call, grads, told, results)
    shared = cut.node(told.shared, None) if told.shared is not None else None
    made = []
    for nr in range(len(results)):
        part = told.of(nr)
        made.append(shared if part is None else cut.node(part, nr, shared))
    return made


def of_results(m: Interpreter, node: Node, call: Call, grads: Mapping[str, Grad], made: Value) -> None:
    """Give each result of a call its own node."""
    if m.facts.branches.find(call.name) is None or (isinstance(made, ListV) and m.state.is_open(made)):
        return
    results = tensors_in(m, made)
    for t, own in zip(results, parted(m, node, call, grads, results), strict=True):
        if t.grad_fn is node:
            t.grad_fn = None
            m.grad.set_history(t, own, m.grad.output_nr(t))


class Cut:
    """One node being taken apart."""

    def __init__(
        self,
        m: Interpreter,
        node: Node,
        call: Call,
        grads: Mapping[str, Grad],
        told: Branches,
        results: Sequence[Tensor],
    ) -> None:
        self.m = m
        self.whole = node
        self.call = call
        self.grads = grads
        self.told = told
        self.results = results
        parts = [part for part in (*told.own, told.shared) if part is not None]
        self.flows = frozenset().union(*(part.flows for part in parts))
        self.saves = frozenset().union(*(part.saves for part in parts))

    def node(self, part: Part, nr: int | None, shared: Node | None = None) -> Node | None:
        """The node of a part, of the result `nr` or of several; None where it would lead nowhere."""
        whole = self.whole
        when: Grad = shared.when if shared is not None else False
        for p in dict.fromkeys(whole.roles):
            if self.leads(part, p, nr):
                when = either(when, self.needs(p, nr))
        if when is False:
            return None
        ways = [
            (edge, fed)
            for edge, fed in zip(whole.edges, whole.fed, strict=True)
            if fed is not None and self.leads(part, whole.roles[fed[0]], nr, whole.inputs[fed[0]])
        ]
        if shared is not None:
            ways += [(shared, (len(whole.roles), out)) for out in sorted(part.through) or [nr or 0]]
        self.m.grad.order += 1
        made = Node(whole.name, whole.site, self.m.grad.order, tuple(edge for edge, _ in ways), when)
        made.fed = tuple(fed for _, fed in ways)
        made.op, made.called, made.copied = whole.op, whole.called, whole.copied
        made.roles, made.shapes = (*whole.roles, LINK), (*whole.shapes, None)
        made.inputs, made.stack, made.iterations = whole.inputs, whole.stack, whole.iterations
        made.saved = tuple(s for s in whole.saved if self.keeps(part, s, nr))
        made.holds = whole.holds if part.holds else False
        self.m.grad.nodes.append(made)
        return made

    def leads(self, part: Part, parameter: str, nr: int | None, t: Tensor | None = None) -> bool:
        """Whether a part leads to a parameter, or to one of its tensors; if no part is known to, any may."""
        known = among(parameter, part.flows) or not among(parameter, self.flows)
        return known and (t is None or self.is_of(parameter, t, nr))

    def needs(self, parameter: str, nr: int | None) -> Grad:
        """Whether a parameter requires grad, or the one of its tensors that belongs to a result."""
        found: Grad = False
        for t in self.call.tensors.get(parameter, ()):
            if self.is_of(parameter, t, nr):
                found = either(found, self.m.grad.requires_grad(t))
        return found if self.told.each else self.grads.get(parameter, False)

    def is_of(self, parameter: str, t: Tensor, nr: int | None) -> bool:
        """Whether a tensor belongs to a result: the item of that number, if each item of a list has a result."""
        given = self.call.tensors.get(parameter, ())
        return not self.told.each or nr is None or len(given) != len(self.results) or given[nr] is t

    def keeps(self, part: Part, saved: SavedTensor, nr: int | None) -> bool:
        """Whether a part keeps a tensor that the whole node has saved."""
        if saved.role == "result":
            number = next((i for i, t in enumerate(self.results) if t is saved.tensor), None)
            label = f"out{number}"
            return number == nr if self.told.each else label in part.saves or label not in self.saves
        known = among(saved.role, part.saves) or not among(saved.role, self.saves)
        return known and self.is_of(saved.role, saved.tensor, nr)


def among(parameter: str, labels: frozenset[str]) -> bool:
    """Whether a parameter is among labels; `self` stands for all of a module's own tensors."""
    return parameter in labels or (parameter == "self" and any(one.startswith("self.") for one in labels))
