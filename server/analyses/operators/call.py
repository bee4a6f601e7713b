"""A call of an operator on its way through the replay, and what is special about its operator.

A *family* holds what the measured facts cannot say of some operators: rules of a few lines each, which the stages of
`replay.py` ask. `x.clone()` belongs to one, since a copy of `x` may be copied back later; `x.exp()` belongs to none,
so its fact alone decides. The families are in `rules/`, one file each.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ...facts.model import Case, Mutation, Op
    from ...facts.views import Form
    from ..autograd.geometry import Geometry
    from ..autograd.gradients import Times
    from ..autograd.tensors import Grad, Node, Tensor
    from ..domain.values import Cond, Value
    from .interpreter import Interpreter


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """What is special about some operators, in the order in which the replay of a call asks for it.

    If a family has no rule, or its rule gives None, the fact decides.
    """

    # -- before the call --------------------------------------------------------------------------
    makes_tensor: bool = False
    """turns a number into a tensor, also one that is passed as `out=`"""
    instead_of: Callable[[Interpreter, Call], Tensor | None] | None = None
    """the argument, if all that the call does is clone it"""
    keeps: Callable[[Interpreter, Call], Mapping[str, Grad]] | None = None
    """`Call.kept`"""
    case: Callable[[Interpreter, Op, Call], Case | None] | None = None
    """the case of its fact, where the fact's own conditions don't tell it"""
    sides: Callable[[Interpreter, Call], tuple[Cond, Call, Call] | None] | None = None
    """a question about its options on which it depends what it does, with the call for each answer"""
    reads_form_of: str = ""
    """the parameter whose shape, dtype or device it reads, but not its values"""

    # -- an argument that is given back -----------------------------------------------------------
    gives_back: Callable[[Interpreter, Call], Tensor | None] | None = None
    """what it returns if there is nothing to do, whatever the fact says about results"""
    unchanged: Callable[[Interpreter, Call, Tensor], bool | None] | None = None
    """whether it returns its argument unchanged; None if that is unknown"""
    finds_out: bool = False
    """its kernel finds out that there is nothing to do, so autograd records the call all the same"""
    gives_view: Callable[[Call, Tensor], bool] | None = None
    """whether it returns a view of the whole argument where others return the argument itself"""
    otherwise_view: bool = False
    """returns a view, not a copy, if it doesn't return its argument unchanged"""
    otherwise: Callable[[Interpreter, Call, Tensor, Node | None], Value] | None = None
    """the result, if it takes more than the question whether that is the argument"""
    copies_at_most: bool = False
    """returns its argument or a copy, and does nothing else: if nobody else holds the argument, both are the same"""
    question: Callable[[Interpreter, Call, Tensor, str], Cond] | None = None
    """the question behind an unknown answer of `unchanged`, if it isn't one about the argument; called with its text"""

    # -- the graph --------------------------------------------------------------------------------
    seen: Callable[[Interpreter, Call], bool | None] | None = None
    """whether autograd sees a call of inference tensors alone"""
    used: Callable[[Call], Sequence[tuple[str, Tensor]]] | None = None
    """the tensors of a call by parameter, each as many times as the call uses it"""
    several: bool = False
    """`Node.several`"""
    form: Callable[[Call, str, Form], Form] | None = None
    """in which form it saves an argument; called with the form in the facts"""

    # -- writing ----------------------------------------------------------------------------------
    changes: Callable[[Interpreter, Call, Mutation], Times | None] | None = None
    """how many times it writes an argument; its answer counts even if the fact isn't certain that it writes"""
    writes_nothing: Callable[[Interpreter, Call, Tensor], bool] | None = None
    """whether nothing is written to an argument, so that PyTorch doesn't look for shared memory either"""
    same_content: Callable[[Interpreter, Call, Tensor], bool] | None = None
    """whether an argument has the same content after it was written"""
    content: Callable[[Interpreter, Call, Tensor], Value] | None = None
    """the earlier content that an argument has again after it was written; ABSENT where there is none"""
    reshapes: bool = False
    """changes the shape of its argument in place, as the method without the underscore does"""

    # -- results ----------------------------------------------------------------------------------
    writes: Callable[[Interpreter, Call], Times | None] | None = None
    """how many times its first result was written, if samples of the fact differ"""
    always: bool = False
    """`writes` is asked even if all samples of the fact agree"""
    unseen_writes: Callable[[Interpreter, Call], Times | None] | None = None
    """the same for calls of inference tensors, of which autograd sees nothing"""
    copies: bool = False
    """copies its argument, or a view of it"""
    in_one_format: bool = False
    """its result is in order, unless all arguments are in the one memory format of images"""
    views: Callable[[Call, Geometry], bool | None] | None = None
    """whether a new result is a view of what the call has made"""
    conjugated: bool = False
    """its result is a lazy conjugate, which operators copy before they work on it"""
    numbers_as_they_are: bool = False
    """returns a tensor without dimensions unchanged"""
    fields: tuple[str, ...] = ()
    """the names of its results, if they are a named tuple"""
    noted: Callable[[Interpreter, Call, Value], None] | None = None
    """called with the result, to note what later calls may ask"""


NONE = Family()
"""the family of an operator that its fact describes completely"""


@dataclass(slots=True)
class Call:
    """A call on its way: the arguments by parameter, the tensors among them, and what the stages find out."""

    name: str
    values: dict[str, Value]
    tensors: dict[str, list[Tensor]]
    family: Family
    spoken: str | None = None
    """its name in messages, if that isn't the last part of `name`"""
    kept: Mapping[str, Grad] = field(default_factory=dict)
    """for arguments that the operator saves through a view or a copy: whether it is the argument's own memory"""
    settings: Mapping[str, Value] = field(default_factory=dict)
    """what a module's constructor was given"""
    apart: frozenset[str] = frozenset()
    loose: frozenset[str] = frozenset()
    overlapping: bool = False
    as_out: bool = False
    """about what is written, as in `Op`"""

    seen: bool | None = None
    """whether autograd records it; None if that is unknown"""
    grads: Mapping[str, Grad] = field(default_factory=dict)
    """for each parameter, whether one of its tensors requires grad"""
    needs: Grad = False
    """whether the results require grad"""
    written: list[tuple[Mutation, Tensor, Times]] = field(default_factory=list)
    """what it writes, and how many times"""
    node: Node | None = None
    cast: str | None = None
    """the dtype of the results under autocast"""

    def all(self) -> list[Tensor]:
        """All tensors among the arguments."""
        return [t for ts in self.tensors.values() for t in ts]

    def given(self) -> list[Tensor]:
        """The tensors that the program passed, in order; not the parameters and buffers of a module."""
        return [t for p in self.values for t in self.tensors.get(p, ())]

    def option(self, m: Interpreter, name: str, default: Value) -> Value:
        """An argument of the call or, for a module, of its constructor."""
        return m.state.resolve(self.values.get(name, self.settings.get(name, default)))

    def layout(self, name: str = "input") -> Geometry | None:
        """The sizes and strides of an argument, or of a method's tensor if there is no argument of that name."""
        found = self.tensors.get(name) or self.tensors.get("self") or []
        return found[0].geometry if found else None

    def is_empty(self) -> bool:
        """Whether the tensor is known to have no elements."""
        g = self.layout()
        return g is not None and g.numel() == 0
