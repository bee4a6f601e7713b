"""Autograd alone: storages, views and nodes made by hand, without any program text, beside the same in PyTorch."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest
import torch
from gradguard.analyses.autograd.backward import Autograd
from gradguard.analyses.autograd.geometry import Geometry
from gradguard.analyses.autograd.tensors import DEFAULT, MULTI_OUTPUT, NO_GRAD, Node, SavedTensor, Tensor, Version
from gradguard.analyses.domain.here import Here
from gradguard.analyses.domain.paths import Guards, Raised, State
from gradguard.analyses.domain.report import Assumption, Failure, Kind, Site, Write
from gradguard.analyses.domain.values import Args, Cond
from gradguard.facts import releases

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from gradguard.analyses.domain.values import Value
    from gradguard.syntax.chunks import Chunk
    from gradguard.syntax.ir import Node as Text


@dataclass
class Told:
    """What is said of a failure: its kind, the node that finds it and the write behind it."""

    running: list[Node] = field(default_factory=list)
    backward: Site | None = None

    def saved(self, node: Node, saved: SavedTensor) -> None:
        return None

    def called(self, t: Tensor) -> str | None:
        return t.name

    def doubts(self, *uids: int) -> tuple[Assumption, ...]:
        return ()

    def stale(self, node: Node, saved: SavedTensor, write: Write) -> Failure:
        return failure("stale-saved", node, write)

    def silent(self, node: Node, saved: SavedTensor, write: Write) -> Failure:
        return failure("silent-stale", node, write)

    def freed(self, node: Node, freed: Site) -> Failure:
        return failure("freed-graph", node)

    def spread(self, node: Node, view: Tensor) -> Failure:
        return failure("other", node)


def failure(kind: Kind, node: Node, write: Write | None = None) -> Failure:
    assert node.site is not None
    return Failure(kind, "inplace", node.site, node.name, via=write.via if write is not None else "")


class Stage:
    """A host without a program: it stands nowhere, keeps what is reported, and raises what is certain."""

    def __init__(self) -> None:
        self.handlers = 1
        self.causes: dict[Hashable, bool] = {}
        self.facts = releases.of(releases.names()[-1])
        self.state = State()
        self.here = Here(cast("Chunk", SimpleNamespace(path="")), cast("Text", SimpleNamespace(start=0)))
        self.explain = Told()
        self.reported: list[tuple[Failure, Guards]] = []
        self.trained: list[Tensor] = []
        self.grad = Autograd(self)

    def call(self, function: Value, args: Args) -> Value:
        return function(*args.pos)

    def place(self) -> tuple[Any, ...]:
        return ()

    def come_to(self, place: tuple[Any, ...]) -> None:
        assert place == ()

    def report(self, failure: Failure, guards: Guards = ()) -> None:
        self.reported.append((failure, guards))

    def note_backward(self, nodes: Sequence[Node]) -> None:
        self.ran = list(nodes)

    def note_gradient(self, leaf: Tensor) -> None:
        self.trained.append(leaf)

    def raise_failure(
        self, failure: Failure, guards: Guards, ways: Sequence[Guards] = (), cause: Hashable = None
    ) -> bool:
        self.raise_collected([(failure, guards)])
        return False

    def raise_collected(self, failures: Sequence[tuple[Failure, Guards]]) -> None:
        self.reported += [one for one in failures if one[1]]
        certain = [failure for failure, guards in failures if not guards]
        if certain:
            raise Raised(None, "RuntimeError", certain)

    # -- what operators do, by hand -------------------------------------------------------------------

    def leaf(self) -> Tensor:
        return self.grad.tensor(Geometry.contiguous((2, 2)), "float32", requires_grad=True)

    def exp(self, x: Tensor) -> Tensor:
        """`x.exp()` saves its result."""
        y = self.grad.tensor(x.geometry, x.dtype)
        node = self.grad.node("ExpBackward0", [x], self.grad.requires_grad(x))
        self.grad.set_history(y, node)
        if node is not None:
            self.grad.save(node, y, "result")
            node.holds = True
        return y

    def sin(self, x: Tensor) -> Tensor:
        """`x.sin()` saves its input."""
        y = self.grad.tensor(x.geometry, x.dtype)
        node = self.grad.node("SinBackward0", [x], self.grad.requires_grad(x))
        if node is not None:
            self.grad.save(node, x, "input", form="itself")
            node.holds = True
        self.grad.set_history(y, node)
        return y

    def row(self, x: Tensor, meta: str = DEFAULT) -> Tensor:
        """`x[0]`, or one of several views that one call gives."""
        view = self.grad.view(x, Geometry.contiguous((2,)), meta)
        self.grad.set_history(view, self.grad.node("SelectBackward0", [x], self.grad.requires_grad(x)))
        return view

    def add_(self, x: Tensor) -> None:
        """`x += 1` saves nothing."""
        self.grad.check_inplace(x, self.grad.requires_grad(x))
        node = self.grad.node("AddBackward0", [x], self.grad.requires_grad(x))
        self.grad.bump(x, "add_")
        self.grad.rebase(x, node)

    def backward(self, y: Tensor, retain: bool = False) -> None:
        self.grad.backward([self.grad.grad_fn(y)], retain)

    def number(self, t: Tensor) -> int | None:
        version = self.grad.version(t)
        assert isinstance(version, Version)
        return version.number


@pytest.fixture
def stage() -> Stage:
    return Stage()


def fails(run: Callable[[], object]) -> list[str]:
    """The kinds of failures for which something raises."""
    with pytest.raises(Raised) as raised:
        run()
    return [failure.kind for failure in raised.value.failures]


def in_pytorch(run: Callable[[torch.Tensor], object], message: str = "") -> None:
    """PyTorch raises on the same (with that `message`), or it doesn't raise where there is none."""
    x = torch.ones(2, 2, requires_grad=True)
    if not message:
        run(x)
        return
    with pytest.raises(RuntimeError, match=message):
        run(x)


def test_a_saved_result_is_changed(stage: Stage) -> None:
    y = stage.exp(stage.leaf())
    stage.add_(y)
    assert fails(lambda: stage.backward(y)) == ["stale-saved"]
    in_pytorch(lambda x: x.exp().add_(1).sum().backward(), "modified by an inplace operation")


def test_a_changed_result_that_nobody_saved(stage: Stage) -> None:
    x = stage.leaf()
    y = stage.sin(x)
    stage.add_(y)
    stage.backward(y)
    assert stage.number(y) == 1
    assert isinstance(x.grad, Tensor)
    in_pytorch(lambda x: x.sin().add_(1).sum().backward())


def test_a_view_shares_the_counter(stage: Stage) -> None:
    y = stage.exp(stage.leaf())
    row = stage.row(y)
    stage.add_(row)
    assert stage.number(y) == stage.number(row) == 1
    assert stage.grad.grad_fn(y).name == "CopySlices"
    assert fails(lambda: stage.backward(y)) == ["stale-saved"]

    def same(x: torch.Tensor) -> None:
        y = x.exp()
        y[0].add_(1)
        assert y._version == 1
        assert y.grad_fn is not None
        assert y.grad_fn.name().endswith("CopySlices")
        y.sum().backward()

    in_pytorch(same, "modified by an inplace operation")


def test_a_detached_alias_shares_the_counter_and_data_does_not(stage: Stage) -> None:
    y = stage.exp(stage.leaf())
    stage.add_(stage.grad.alias(y))
    assert stage.number(y) == 1
    stage.add_(stage.grad.alias(y, own_counter=True))
    assert stage.number(y) == 1
    y = torch.ones(2, requires_grad=True).exp()
    y.detach().add_(1)
    y.data.add_(1)
    assert y._version == 1


def test_a_change_that_no_counter_sees(stage: Stage) -> None:
    y = stage.exp(stage.leaf())
    stage.add_(stage.grad.alias(y, own_counter=True))
    stage.backward(y)
    assert [failure.kind for failure, _ in stage.reported] == ["silent-stale"]
    in_pytorch(lambda x: [y := x.exp(), y.data.add_(1), y.sum().backward()])


def test_a_graph_is_freed(stage: Stage) -> None:
    y = stage.exp(stage.leaf())
    stage.backward(y, retain=True)
    stage.backward(y)
    assert fails(lambda: stage.backward(y)) == ["freed-graph"]
    in_pytorch(lambda x: [y := x.exp().sum(), y.backward(retain_graph=True), y.backward()])
    in_pytorch(lambda x: [y := x.exp().sum(), y.backward(), y.backward()], "second time")


def test_a_leaf_and_its_view_are_refused(stage: Stage) -> None:
    x = stage.leaf()
    assert fails(lambda: stage.add_(x)) == ["leaf-inplace"]
    assert fails(lambda: stage.add_(stage.row(x))) == ["view-of-leaf-inplace"]
    in_pytorch(lambda x: x.add_(1), "a leaf Variable that requires grad")
    in_pytorch(lambda x: x[0].add_(1), "a view of a leaf Variable")


def test_views_that_must_not_be_written(stage: Stage) -> None:
    y = stage.sin(stage.leaf())
    assert fails(lambda: stage.add_(stage.row(y, MULTI_OUTPUT))) == ["multi-view-inplace"]
    in_pytorch(lambda x: x.sin().unbind()[0].add_(1), "output of a function that returns multiple views")
    stage.state.set(stage.grad.mode, "grad", False)
    quiet = stage.row(y)
    stage.state.set(stage.grad.mode, "grad", True)
    assert quiet.creation_meta == NO_GRAD
    assert fails(lambda: stage.add_(quiet)) == ["no-grad-view-inplace"]

    def same(x: torch.Tensor) -> None:
        y = x.sin()
        with torch.no_grad():
            quiet = y[0]
        quiet.add_(1)

    in_pytorch(same, "no_grad mode")


def test_nothing_is_recorded_without_grad_mode(stage: Stage) -> None:
    x = stage.leaf()
    stage.grad.set_modes({"grad": False})
    assert stage.grad.is_leaf(stage.exp(x)) is True
    stage.add_(x)
    assert stage.number(x) == 1


def test_gradients_are_added_up(stage: Stage) -> None:
    x = stage.leaf()
    stage.backward(stage.sin(x))
    assert stage.trained == [x]
    first = x.grad
    before = stage.grad.version(first)
    stage.backward(stage.sin(x))
    assert x.grad is first
    assert stage.grad.version(first).write.via == "backward()"
    assert stage.grad.version(first).prev is before
    x = torch.ones(2, requires_grad=True)
    x.sin().sum().backward()
    assert x.grad is not None
    number = x.grad._version
    x.sin().sum().backward()
    assert x.grad._version == number + 1


def test_a_failure_on_one_side_of_a_branch_rests_on_it(stage: Stage) -> None:
    y = stage.exp(stage.leaf())
    asked = Cond("asked")
    stage.state.fork(asked, lambda: stage.add_(y), lambda: None)
    assert [v.number for _, v in stage.state.alternatives(stage.grad.version(y))] == [1, 0]
    stage.backward(y)
    assert [(failure.kind, guards) for failure, guards in stage.reported] == [("stale-saved", ((asked, True),))]


def test_what_is_undone_has_not_happened(stage: Stage) -> None:
    y = stage.exp(stage.leaf())
    mark = len(stage.state.trail)
    stage.add_(y)
    stage.state.undo(mark)
    assert stage.number(y) == 0
    stage.backward(y)
    assert stage.reported == []
