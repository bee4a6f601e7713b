"""What functions and classes tell of themselves before they are entered: what they need, and whether they vary a base.

class Net(Base):            # varies `Base`, whose `forward` calls `mix`
    @torch.no_grad()        # `plain_function` looks behind it
    def mix(self, x): …
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..domain.modules import is_model
from ..domain.report import Assumption
from ..domain.values import Bound, ClassMethod, FunctionV, Instance, Property, StaticMethod, Wrapped
from ..operators import modules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...syntax import ir
    from ..domain.values import Args, ClassV, Value


def plain_function(v: Value) -> FunctionV | None:
    """The function behind decorators and descriptors, those of the program by what `functools.wraps` says."""
    passed: set[FunctionV] = set()
    while isinstance(v, (Wrapped, StaticMethod, ClassMethod, Bound)) or (isinstance(v, FunctionV) and v not in passed):
        if isinstance(v, FunctionV):
            passed.add(v)
            v = v.attributes.get("__wrapped__", v)
        else:
            v = v.function
    if isinstance(v, Property):
        v = v.getter
    return v if isinstance(v, FunctionV) else None


def own_forward(cls: ClassV) -> FunctionV | None:
    """The forward of a class, if the program defines it."""
    f = plain_function(cls.lookup("forward"))
    return f if f is not None and not is_model(f.chunk) else None


def is_private(name: str) -> bool:
    """Whether a name is meant for the program's own use only."""
    return name.startswith("_") and not name.endswith("__")


def varied(cls: ClassV, method: str) -> set[str]:
    """What a class that inherits a method overrides of the class that has it, or of one between; its constructor, too.

    Nothing if it has the method itself.
    """
    owner = next(i for i, one in enumerate(cls.mro) if method in one.attributes)
    own, above = (
        {name for one in some for name in one.attributes if isinstance(name, str) and name.isidentifier()}
        for some in (cls.mro[:owner], cls.mro[1 : owner + 1])
    )
    return {name for name in own & above if not name.startswith("__")} | (own & {"__init__"})


def needed(f: FunctionV) -> list[ir.Param]:
    """The parameters that every call passes by their places, `self` included."""
    return [p for p in (*f.node.params.posonly, *f.node.params.args) if p.default is None]


def by_parameter(f: FunctionV, args: Args, skip: int) -> dict[str, Value]:
    """The arguments of a call by the names of their parameters, behind the first `skip`."""
    positional = [*f.node.params.posonly, *f.node.params.args][skip:]
    return {**{p.name: v for p, v in zip(positional, args.pos, strict=False)}, **args.kw}


def given_modules(f: FunctionV, args: Args, skip: int) -> Iterator[Assumption]:
    """That what a call passes requires grad where it is a module; the first `skip` parameters aren't looked at."""
    for name, v in by_parameter(f, args, skip).items():
        if isinstance(v, Instance) and v.cls.derives(modules.MODULE):
            yield Assumption("requires-grad", name)
