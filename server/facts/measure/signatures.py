"""The parameters that users may write for a PyTorch callable.

A Python function has a signature. For a built-in one, the parameters are merged from the overloads in PyTorch's
`native_functions.yaml` (packaged with torchgen), by the rules of its Python bindings
(`torch/csrc/utils/python_arg_parser.cpp`, `tools/autograd/gen_python_functions.py`). For one that is bound by hand,
they are read off the first line of its docstring.

    max(Tensor self)  max(Tensor self, int dim, bool keepdim=False)  max(Tensor self, Tensor other)
    →  input, dim=None (or other, axis), keepdim=False (or keepdims)
"""

from __future__ import annotations

import ast
import contextlib
import inspect
import keyword
import pathlib
import re
from collections import defaultdict
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import torchgen  # type: ignore[import-untyped]
from torchgen.gen import parse_native_yaml  # type: ignore[import-untyped]
from torchgen.model import Argument, NativeFunction, Variant  # type: ignore[import-untyped]

from ..model import REQUIRED, Param

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

NUMPY_NAMES = {"dim": ("axis",), "keepdim": ("keepdims",), "input": ("x", "a", "x1"), "other": ("x2",)}
"""`numpy_compatibility_arg_names` of python_arg_parser.cpp"""

UNARY_DUNDERS = frozenset(
    {"__abs__", "__invert__", "__neg__", "__pos__", "__bool__", "__float__", "__index__", "__int__"}
)

BOUND_BY_HAND = {
    "torch.Tensor.to": "self, device=None, dtype=None, non_blocking=False, copy=False, *, memory_format=None",
    "torch.Tensor.type": "self, dtype=None, non_blocking=False",
    "torch.Tensor.map_": "self, tensor, callable",
    "torch.Tensor.map2_": "self, x, y, callable",
    "torch.Tensor.new": "self, *size",
    "torch.Tensor.untyped_storage": "self",
    "torch.Tensor.ndimension": "self",
    "torch.Tensor.__getitem__": "self, index",
    "torch.Tensor.__setitem__": "self, index, value",
    "torch.as_tensor": "data, *, dtype=None, device=None",
    "torch.asarray": "obj, *, dtype=None, device=None, copy=None, requires_grad=False",
    "torch.einsum": "equation, *operands",
    "torch.dsmm": "input, mat2",
    "torch.hsmm": "input, mat2",
    "torch.spmm": "input, mat2",
    "torch.saddmm": "input, mat1, mat2, *, beta=1, alpha=1",
}
OTHER_NAMES = {"torch.Tensor.to": {"device": ("other",)}, "torch.Tensor.type": {"dtype": ("device",)}}


@lru_cache
def schemas() -> dict[tuple[str, str], list[NativeFunction]]:
    """Return the overloads by Python module (`""` for torch itself) and name, without those that take a Dimname."""
    folder = pathlib.Path(torchgen.__file__).parent / "packaged/ATen/native"
    parsed = parse_native_yaml(str(folder / "native_functions.yaml"), str(folder / "tags.yaml"))
    found: dict[tuple[str, str], list[NativeFunction]] = defaultdict(list)
    for function in parsed.native_functions:
        module, name = function.python_module or "", str(function.func.name.name)
        if "Dimname" not in str(function.func):
            found[module, name.removeprefix(f"{module}_") if module else name].append(function)
    return found


def overloads(qualified: str) -> list[NativeFunction]:
    """Return the native overloads of a callable by its user's name, without those that take `out=`."""
    home, _, name = qualified.rpartition(".")
    if home == "torch.Tensor":
        return [f for f in schemas().get(("", name), []) if Variant.method in f.variants and not f.func.arguments.out]
    modules = {"torch.nn.functional": ("nn", "")}.get(home, (home.removeprefix("torch").removeprefix("."),))
    return [
        f
        for module in modules
        for f in schemas().get((module, name), [])
        if Variant.function in f.variants and not f.func.arguments.out
    ]


def accepts_out(qualified: str, call: Callable[..., Any]) -> bool:
    """Whether the callable takes `out=`: as a parameter of a Python function, or in an overload of a built-in one."""
    if inspect.isfunction(call):
        return "out" in inspect.signature(call, follow_wrapped=False).parameters
    home, _, name = qualified.rpartition(".")
    module = {"torch.nn.functional": "nn"}.get(home, home.removeprefix("torch").removeprefix("."))
    return home != "torch.Tensor" and any(f.func.arguments.out for f in schemas().get((module, name), []))


def parameters(qualified: str, call: Callable[..., Any]) -> tuple[Param, ...] | None:
    """Return the parameters of the callable; None if they can't be found out."""
    if qualified in BOUND_BY_HAND:
        return _renamed(qualified, of_text(BOUND_BY_HAND[qualified]))
    found = _of_python(call)
    if found is None and (native := overloads(qualified)):
        found = merged(native, method=qualified.startswith("torch.Tensor."))
    if found is None:
        found = _of_docstring(call, method=qualified.startswith("torch.Tensor."))
    if found is None and qualified.startswith("torch.Tensor.__"):
        found = of_text("self" if qualified.rpartition(".")[2] in UNARY_DUNDERS else "self, other")
    return _renamed(qualified, found) if found is not None else None


def merged(native: Sequence[NativeFunction], *, method: bool) -> tuple[Param, ...]:
    """Return one list of parameters for all overloads.

    The longest overload gives the names. The names that others have in the same place become aliases.
    """
    ordered = sorted((_of_schema(f, method=method) for f in native), key=lambda ps: -_positional(ps))
    places = [[ps[i] for ps in ordered if i < _positional(ps)] for i in range(_positional(ordered[0]))]
    own = {place[0].name for place in places}
    shortest = min(_positional(ps) for ps in ordered)
    result = [_place(place, own, required=i < shortest) for i, place in enumerate(places)]
    result[:-1] = [replace(p, variadic=False) for p in result[:-1]]  # what follows is passed by position, too
    taken = own | {alias for p in result for alias in p.aliases}
    for p in (p for ps in ordered for p in ps[_positional(ps) :]):
        if p.name not in taken:
            taken.add(p.name)
            result.append(p)
    return tuple(result)


def _place(place: Sequence[Param], own: set[str], *, required: bool) -> Param:
    first = place[0]
    names = dict.fromkeys([*(p.name for p in place[1:]), *NUMPY_NAMES.get(first.name, ())])
    defaults = [p.default for p in place if p.name == first.name and p.default is not REQUIRED]
    default = defaults[0] if defaults else REQUIRED if required else None
    aliases = tuple(n for n in names if n not in own)
    return Param(first.name, default, variadic=any(p.variadic for p in place), aliases=aliases)


def _positional(params: Sequence[Param]) -> int:
    return sum(not p.keyword_only for p in params)


def _of_schema(function: NativeFunction, *, method: bool) -> tuple[Param, ...]:
    arguments = function.func.arguments
    positional = list(arguments.flat_positional)
    if method:
        positional.sort(key=lambda a: a.name != "self")
    given = positional[1:] if method else positional
    varargs = len(given) == 1 and str(given[0].type) in ("int[]", "SymInt[]")
    params = [_of_argument(a, method=method, variadic=varargs and a is given[0]) for a in positional]
    params += [_of_argument(a, method=method, keyword_only=True) for a in arguments.flat_kwarg_only]
    if arguments.tensor_options is not None:
        params.append(Param("requires_grad", False, keyword_only=True))
    return tuple(params)


def _of_argument(argument: Argument, *, method: bool, keyword_only: bool = False, variadic: bool = False) -> Param:
    name = "input" if argument.name == "self" and not method else argument.name
    name += "_" * keyword.iskeyword(name)  # `random_(from, to)`: only ever passed by position
    default = None if variadic else _default(argument.default)
    return Param(name, default, keyword_only=keyword_only, variadic=variadic)


def _default(text: str | None) -> object:
    if text is None:
        return REQUIRED
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def _of_python(call: Callable[..., Any]) -> tuple[Param, ...] | None:
    """Return the parameters of a Python function; None if it has no signature.

    Functions made by `boolean_dispatch` or `_make_deprecate` take anything: the signature is that of the inner one.
    """
    try:
        signature = inspect.signature(call)
    except (TypeError, ValueError):
        return None
    kinds = {p.kind for p in signature.parameters.values()}
    if kinds == {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}:
        hidden = inspect.getclosurevars(call).nonlocals if inspect.isfunction(call) else {}
        inner = hidden.get("if_false") or hidden.get("meth")
        return _of_python(inner) if inner is not None else None
    return of_signature(signature)


def of_signature(signature: inspect.Signature) -> tuple[Param, ...]:
    """Return the parameters of a Python signature, without `**kwargs` and `out`."""
    return tuple(
        Param(
            p.name,
            None if p.kind is p.VAR_POSITIONAL else _default_of(p),
            keyword_only=p.kind is p.KEYWORD_ONLY,
            variadic=p.kind is p.VAR_POSITIONAL,
        )
        for p in signature.parameters.values()
        if p.kind is not p.VAR_KEYWORD and p.name != "out"
    )


def _default_of(parameter: inspect.Parameter) -> object:
    value = parameter.default
    if value is inspect.Parameter.empty:
        return REQUIRED
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (tuple, list)) and all(isinstance(v, (bool, int, float, str)) for v in value):
        return tuple(value)
    return f"{value.__module__}.{value.__name__}" if inspect.isfunction(value) else str(value)


def _of_docstring(call: Callable[..., Any], *, method: bool) -> tuple[Param, ...] | None:
    match = re.match(r"\s*[\w.]+\((.*)\)\s*(->.*)?$", (call.__doc__ or "").strip().split("\n")[0])
    if match is None:
        return None
    with contextlib.suppress(SyntaxError):
        return of_text(("self, " if method else "") + match[1])
    return None


def of_text(text: str) -> tuple[Param, ...]:
    """Return the parameters that are written as in a `def`, without `out`. Raises SyntaxError if they aren't."""
    arguments = ast.parse(f"def f({text}): ...").body[0].args  # type: ignore[attr-defined]
    plain = [*arguments.posonlyargs, *arguments.args]
    defaults: Iterable[ast.expr | None] = [*[None] * (len(plain) - len(arguments.defaults)), *arguments.defaults]
    params = [Param(a.arg, _evaluated(d)) for a, d in zip(plain, defaults, strict=True)]
    if arguments.vararg is not None:
        params.append(Param(arguments.vararg.arg, None, variadic=True))
    for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        params.append(Param(a.arg, _evaluated(d), keyword_only=True))
    return tuple(p for p in params if p.name != "out")


def _evaluated(node: ast.expr | None) -> object:
    return REQUIRED if node is None else _default(ast.unparse(node))


def _renamed(qualified: str, params: tuple[Param, ...]) -> tuple[Param, ...]:
    names = OTHER_NAMES.get(qualified, {})
    return tuple(
        Param(p.name, p.default, p.keyword_only, p.variadic, p.aliases + names.get(p.name, ())) for p in params
    )
