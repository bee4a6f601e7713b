"""Names of libraries: what a dotted name stands for (`resolve`), and who replays a call of it (`replayer`)."""

from __future__ import annotations

import math
from contextlib import suppress
from typing import TYPE_CHECKING

from ..autograd.tensors import Tensor
from ..domain import registry
from ..domain.known import key_of
from ..domain.values import ABSENT, Args, DictV, Instance, Lib, ListV, TooFew, Unbuilt, Unknown, Value
from ..operators import arrays, calls_by_name, cases
from ..operators.arrays import NDArray
from . import constants, functions, opaque

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..domain.registry import Model
    from .machine import Machine

    Replayer = Callable[[Machine, str, Args], Value]

CONSTANTS: dict[str, Value] = {
    **{f"math.{k}": v for k, v in vars(math).items() if isinstance(v, float)},
    **{f"numpy.{k}": getattr(math, k) for k in ("pi", "e", "inf", "nan")},
    **{f"torch.{k}": getattr(math, k) for k in ("pi", "e", "inf", "nan")},
    "torch.newaxis": None,
    "numpy.newaxis": None,
    "typing.TYPE_CHECKING": False,
    "sys.argv": Unknown("sys.argv"),
}

MOVED = {
    "typing.Dict": "dict",
    "typing.List": "list",
    "typing.Set": "set",
    "typing.FrozenSet": "frozenset",
    "typing.Tuple": "tuple",
    "typing.Type": "type",
    "typing.OrderedDict": "collections.OrderedDict",
    "typing.DefaultDict": "collections.defaultdict",
    "typing.Counter": "collections.Counter",
    "typing.Deque": "collections.deque",
    "torch.nn.parameter.Parameter": "torch.nn.Parameter",
    "torch.nn.utils.clip_grad.clip_grad_norm_": "torch.nn.utils.clip_grad_norm_",
    "torch.autograd.grad_mode.no_grad": "torch.no_grad",
    "torch.autograd.grad_mode.enable_grad": "torch.enable_grad",
    "torch.autograd.grad_mode.set_grad_enabled": "torch.set_grad_enabled",
    "torch.autograd.no_grad": "torch.no_grad",
    "torch.autograd.enable_grad": "torch.enable_grad",
    "torch.autograd.set_grad_enabled": "torch.set_grad_enabled",
    "torch.autograd.inference_mode": "torch.inference_mode",
    "torch.autograd.function.Function": "torch.autograd.Function",
    "torch.float": "torch.float32",
    "torch.double": "torch.float64",
    "torch.half": "torch.float16",
    "torch.cfloat": "torch.complex64",
    "torch.cdouble": "torch.complex128",
    "torch.long": "torch.int64",
    "torch.int": "torch.int32",
    "torch.short": "torch.int16",
}
"""Other paths that people import by, with the name that PyTorch documents, or Python."""

PREFIXES = (
    ("typing_extensions.", "typing."),
    ("torch._VF.", "torch."),
    ("torch._C._VariableFunctions.", "torch."),
    ("torch.nn.modules.", "torch.nn."),
    ("torch.nn.utils.", "torch.nn.utils."),
    ("torch.optim.", "torch.optim."),
    ("torch.utils.data.", "torch.utils.data."),
)
"""Packages that re-export the names in their files, and modules that hold names of others."""


def canonical(m: Machine, name: str) -> str:
    """The documented name of something that is imported by the path of its file."""
    for prefix, short in PREFIXES:
        if name.startswith(prefix) and not registry.is_known(m, name):
            last = short + name.rsplit(".", 1)[-1]
            if last in MOVED or (last != name and registry.is_known(m, last)):
                name = last
    return MOVED.get(name, name)


def resolve(m: Machine, name: str) -> Value:
    """The value of a library's dotted name: a constant, a class, or just the name."""
    name = canonical(m, name)
    if name.endswith((".__name__", ".__qualname__")):
        return name.split(".")[-2]
    if name in CONSTANTS:
        return CONSTANTS[name]
    if registry.is_class(m, name):
        return registry.class_named(m, name)
    for prefix, meaning in registry.RESOLVERS.items():
        if name.startswith(prefix):
            found = meaning(m, name)
            return Lib(name) if found is ABSENT else found
    return Lib(name)


def call(m: Machine, name: str, args: Args) -> Value:
    """Call a library's function."""
    return replayer(m, name)(m, name, args)


def replayer(m: Machine, name: str) -> Replayer:
    """Who replays calls of a library's function. The first of these that knows the name:

    1. the facts of the program's own configuration;
    2. a native model (`libraries/`, registered in `domain/registry.py`);
    3. the measured facts of PyTorch, with the rules of the operator's family (`operators/rules`);
    4. a model of all functions whose names begin alike (`registry.CALLERS`);
    5. nobody: the result is unknown.

    A polyfill is asked before all of these, when the program imports or looks up the name: what it defines is a
    function like those of the program, and doesn't come here. Methods are looked up by `call_method`, forwards of
    modules by `registry.method`.
    """
    if m.own_fact(name) is not None:
        return calls_by_name.call
    if registry.function(name) is not None:
        return modelled
    if name.startswith("torch."):
        return calls_by_name.call
    return next((replay for prefix, replay in registry.CALLERS.items() if name.startswith(prefix)), unknown)


def modelled(m: Machine, name: str, args: Args) -> Value:
    """A call of a function that a model replays."""
    model = registry.function(name)
    assert model is not None
    return watched(m, name, model, args)


def watched(m: Machine, name: str, model: Model, args: Args) -> Value:
    """The result of a model; while a function is evaluated on numbers, those of the result are computed as well."""
    if m.numbers is not None:
        return m.numbers.through(name, args, lambda: replayed(m, model, args))
    return replayed(m, model, args)


def replayed(m: Machine, model: Model, args: Args) -> Value:
    """The result of a model; it is unknown if the call has fewer arguments than the model takes, or no built object."""
    try:
        return model(m, args)
    except Unbuilt:
        return Unknown("of an object that isn't built")
    except TooFew:
        if not args.open:
            m.refused("a call with too few arguments")
        return Unknown("too few arguments")


def unknown(m: Machine, name: str, args: Args) -> Value:
    """A call of a function without fact or model."""
    short = cases.called(name)
    known = not any(isinstance(a, (Tensor, Instance)) for a in args)
    key = ("call", name, *(key_of(a) for a in args), m.work.moment) if known else None
    result = opaque.linked(m, Unknown(f"{short}(…)", key), short, args)
    return functions.or_option(m, result, args.pos[1]) if functions.looks_up(short, args) else result


def call_method(m: Machine, name: str, obj: Value, args: Args) -> Value:
    """Call a method of a built-in type, a tensor or an array: `name` is `list.append`, `torch.Tensor.exp`, …

    It is replayed by the first of these that knows it: a native model; for a tensor, the facts; for text, numbers and
    containers whose arguments are known, Python itself; else the result is unknown.
    """
    cls, _, short = name.rpartition(".")
    model = registry.method(m, cls, short)
    if model is not None:
        return watched(m, name, model, args.prepend(obj))
    if cls == "torch.Tensor":
        return calls_by_name.call_method(m, short, obj, args)
    if isinstance(obj, (str, int, float, bytes, ListV, DictV, tuple)) and not args.open:
        with suppress(constants.NotPlain):
            return constant_method(m, obj, short, args)
    if isinstance(obj, NDArray):
        return arrays.fresh(m)
    return Unknown(f"{short}(…)", ("call", name, key_of(obj), *(key_of(a) for a in args), m.work.moment))


def constant_method(m: Machine, obj: Value, name: str, args: Args) -> Value:
    """Compute a method of a text, a number or a container with known arguments. Raises as `constants.compute` does."""
    if name.startswith("__"):
        raise constants.NotPlain
    if isinstance(obj, (ListV, DictV)):
        return constants.change(m, obj, name, args.pos, args.kw)
    bare = str(obj) if isinstance(obj, str) else int(obj) if isinstance(obj, int) else obj
    method = getattr(bare, name, None)
    if method is None:
        raise constants.NotPlain
    return constants.compute(m, method, args.pos, args.kw)


def call_object(m: Machine, f: Instance, args: Args) -> Value:
    """Call an object of a library's class."""
    for c in f.cls.mro:
        found = registry.method(m, c.qualname, "__call__")
        if found is not None:
            return watched(m, f"{c.qualname}.__call__", found, args.prepend(f))
    return opaque.linked(m, Unknown(f"{f.cls.name}(…)"), f.label or f.cls.name, args)
