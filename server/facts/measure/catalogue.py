"""The callables to measure: every public function and method of PyTorch, by the name that users call it by."""

from __future__ import annotations

import contextlib
import importlib
import operator
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch

from .signatures import merged, parameters, schemas

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..model import Param

MODULES = (
    "torch",
    "torch.nn.functional",
    "torch.linalg",
    "torch.special",
    "torch.fft",
    "torch.nn.init",
    "torch.masked",
    "torch.sparse",
    "torch.signal.windows",
)

OTHERS = {
    "torch.nn.utils": (
        *("clip_grad_norm_", "clip_grad_value_", "clip_grads_with_norm_", "get_total_norm"),
        *("parameters_to_vector", "vector_to_parameters", "spectral_norm", "weight_norm"),
    ),
    "torch.nn.utils.parametrizations": ("orthogonal", "spectral_norm", "weight_norm"),
    "torch.nn.utils.rnn": (
        *("pack_padded_sequence", "pack_sequence", "pad_packed_sequence", "pad_sequence"),
        *("unpack_sequence", "unpad_sequence"),
    ),
    "einops": ("rearrange", "repeat", "reduce", "einsum", "pack", "unpack", "asnumpy"),
}
"""the functions to measure of modules that also have others; those of einops if it is installed"""

PROPERTIES = ("T", "H", "mT", "mH", "real", "imag", "data")
"""attributes of a tensor that give another tensor"""

DUNDERS = (
    *("abs", "add", "and", "eq", "floordiv", "ge", "getitem", "gt", "iadd", "iand", "ifloordiv", "ilshift", "imod"),
    *("imul", "invert", "ior", "ipow", "irshift", "isub", "itruediv", "ixor", "le", "lshift", "lt", "matmul", "mod"),
    *("mul", "ne", "neg", "or", "pos", "pow", "radd", "rand", "rfloordiv", "rlshift", "rmatmul", "rmod", "rmul"),
    *("ror", "rpow", "rrshift", "rshift", "rsub", "rtruediv", "rxor", "setitem", "sub", "truediv", "xor"),
    *("deepcopy", "array", "bool", "contains", "float", "index", "int", "len"),
)

OPERATORS = (
    *("abs", "add", "and_", "eq", "floordiv", "ge", "getitem", "gt", "iadd", "iand", "ifloordiv", "ilshift", "imatmul"),
    *("imod", "imul", "invert", "ior", "ipow", "irshift", "isub", "itruediv", "ixor", "le", "lshift", "lt", "matmul"),
    *("mod", "mul", "ne", "neg", "or_", "pos", "pow", "rshift", "setitem", "sub", "truediv", "xor"),
)

AUGMENTED = frozenset(
    {
        *("iadd", "iand", "ifloordiv", "ilshift", "imod", "imul", "ior", "ipow", "irshift", "isub", "itruediv"),
        *("ixor", "imatmul"),
    }
)
"""Python's names for `+=` and its like"""

SETTINGS = ("autocast", "set_", "get_", "is_grad", "is_inference_mode", "import_ir", "parse_", "merge_type", "init_num")
"""how names in `torch` begin that are about PyTorch itself, not about tensors"""

NOT_OPERATIONS = frozenset(
    {
        *("classproperty", "compile", "compiled_with_cxx11_abi", "fork", "wait", "load", "save", "seed", "typename"),
        *(
            "manual_seed",
            "initial_seed",
            "unify_type_list",
            "use_deterministic_algorithms",
            "vmap",
            "cond",
            "while_loop",
        ),
        *("has_torch_function", "has_torch_function_unary", "has_torch_function_variadic", "handle_torch_function"),
        *("boolean_dispatch", "assert_int_or_pair", "are_deterministic_algorithms_enabled", "clear_autocast_cache"),
        *(
            "is_deterministic_algorithms_warn_only_enabled",
            "is_warn_always_enabled",
            "prepare_multiprocessing_environment",
        ),
        *(
            "is_anomaly_check_nan_enabled",
            "is_anomaly_enabled",
            "is_storage",
            "is_tensor",
            "obj",
            "export",
            "sym_constrain_range",
        ),
        *("sym_constrain_range_for_size", "thread_safe_generator", "lobpcg", "eval", "get_device_module"),
    }
)


@dataclass(frozen=True, slots=True)
class Entry:
    """One callable: the name that users call it by, the callable itself, and its parameters."""

    name: str
    call: Callable[..., Any]
    params: tuple[Param, ...]

    @property
    def basename(self) -> str:
        """The last part of the name, without the underscores of an in-place form or an operator."""
        return self.name.rpartition(".")[2].strip("_")


def entries() -> Iterator[Entry]:
    """Yield every function, method, operator and tensor-valued attribute with known parameters, in a stable order."""
    for name, call in _named():
        params = parameters(name, call)
        if params is not None:
            yield Entry(name, call, params)


def out_of_place(name: str) -> str | None:
    """Return the name of the out-of-place form of an in-place callable: `torch.exp` for `torch.exp_`; None if none."""
    home, _, last = name.rpartition(".")
    if last.strip("_") in AUGMENTED:
        base = last.strip("_").removeprefix("i")
        return f"{home}.__{base}__" if last.startswith("__") else f"{home}.{base}{'_' * (base in ('and', 'or'))}"
    if home not in ("torch", "torch.Tensor", "torch.nn.functional"):
        return None  # elsewhere the name without the underscore is only an older name
    namespace = torch.Tensor if home == "torch.Tensor" else sys.modules[home]
    base = last.removesuffix("_")
    return f"{home}.{base}" if base != last and hasattr(namespace, base) else None


def named_in_tests(name: str, call: Callable[..., Any]) -> Entry | None:
    """Return the entry of an operator that has a name in PyTorch's tests only, as `torch.ops.aten.…`; None if none."""
    last = name.removeprefix("torch.ops.aten.").removesuffix(".default")
    native = next((found for (_, known), found in schemas().items() if known == last), None)
    if native is None:
        return None
    qualified = f"torch.ops.aten.{native[0].func.name.name}"
    return Entry(qualified, call, merged([f for f in native if not f.func.arguments.out], method=False))


def _named() -> Iterator[tuple[str, Callable[..., Any]]]:
    for module in MODULES:
        for name, value in _public(importlib.import_module(module)):
            if module != "torch" or not (name in NOT_OPERATIONS or name.startswith(SETTINGS)):
                yield f"{module}.{name}", value
    for module, names in OTHERS.items():
        with contextlib.suppress(ModuleNotFoundError):
            home = importlib.import_module(module)
            yield from ((f"{module}.{name}", getattr(home, name)) for name in names if hasattr(home, name))
    for name, value in _public(torch.Tensor):
        yield f"torch.Tensor.{name}", value
    for name in DUNDERS:
        if hasattr(torch.Tensor, f"__{name}__"):
            yield f"torch.Tensor.__{name}__", getattr(torch.Tensor, f"__{name}__")
    yield "torch.Tensor.__iter__", _iterate
    for name in PROPERTIES:
        yield f"torch.Tensor.{name}", _getter(name)
    for name in OPERATORS:
        yield f"operator.{name}", getattr(operator, name)


def _public(home: object) -> Iterator[tuple[str, Callable[..., Any]]]:
    for name in sorted(vars(home) if not isinstance(home, type) else dir(home)):
        value = getattr(home, name)
        if (
            (not name.startswith("_") or name.startswith("_foreach_"))
            and callable(value)
            and not isinstance(value, type)
        ):
            yield name, value


def _iterate(self: torch.Tensor) -> list[torch.Tensor]:
    return list(self)


def _getter(name: str) -> Callable[[torch.Tensor], Any]:
    def read(self: torch.Tensor) -> Any:
        return getattr(self, name)

    return read
