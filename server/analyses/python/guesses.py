"""What names reveal: some attributes are those of tensors alone, and some names are those of integers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ...syntax import ir
from ...syntax.walk import statements
from ..domain.known import attribute, is_mask
from ..domain.values import ListV
from ..operators import attributes as tensor_attributes
from ..operators.types import tells_dtype

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..domain.values import Args, ClassV, FunctionV, Unknown
    from .machine import Machine


def _names(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text))


OF_OTHERS = _names("""
    add bfloat16 bool byte char cpu cuda data device double expand float get_device half index int ipu is_cuda long
    mean mode mtia new real imag requires_grad_ share_memory_ short size sort split to type values xpu
""")
"""attributes that numbers, containers, modules, optimizers and distributions share with tensors"""

CONVERSIONS = _names("bfloat16 bool byte char double float half int long short")
"""methods that tensors share with modules alone, which a module's `forward` seldom converts"""

MOVING = _names("cpu cuda to type")
"""methods that return a tensor, or a module, batch or other object that has been moved or converted; never a number"""

OF_NO_GRAPH = _names("""
    bool byte char data device dtype get_device index int is_cuda layout long mode short size sort type values
""")
"""attributes that say nothing of a tensor's graph, or that other values have as well"""

CHANGING = _names("append clear extend insert pop popitem remove reverse setdefault sort update")
"""methods that change what is in a container"""

OF_ARRAYS = _names("""
    T abs all any argmax argmin argsort clip conj cov cummax cummin cumprod cumsum diagonal diff div divide dot dtype
    eq flatten ge gt item itemsize le lt mT max median min mul multiply nbytes ndim ne nonzero pow prod put quantile
    ravel repeat reshape resize round select shape squeeze std sub subtract sum swapaxes take tolist trace transpose
    unique var view where
""")
"""attributes that arrays of NumPy and tables of pandas share with tensors"""

TOLD_BY_CALLS = OF_OTHERS | OF_ARRAYS
"""of these, methods that are called as only those of tensors are"""


def tells_tensor(m: Machine, v: Unknown, name: str) -> bool:
    """Whether an unknown argument, an item of one, or the result of a model, must be a tensor if it has that attribute.

    The arguments of a module's `forward` are no arrays, nor are the results of a model. Of what a comparison may
    return, only a tensor can be converted: `(x > 0).float()`.
    """
    if name in CONVERSIONS and is_mask(v.key):
        return True
    from_model = v.history is not None
    if v.own or not (v.came_in or v.result or from_model):
        return False
    if not tensor_attributes.is_known(m, name):
        return False
    trained = any(a.kind == "trained" for a in m.entry_assumptions)
    if name in OF_OTHERS:
        return trained and name in CONVERSIONS
    return name not in OF_ARRAYS or from_model or trained


def is_gradient(v: Unknown) -> bool:
    """Whether an unknown value is the `grad` of something: a tensor, or None."""
    return attribute(v.key) == "grad"


def shows_tensor(m: Machine, method: Unknown, args: Args) -> bool:
    """Whether something is a method that only a tensor has where it takes these arguments: `x.size(0)`.

    That is so of all that take `dim` or `keepdim`, but for what names its dimensions. What a module's `forward` is
    given is no buffer, which has a `size()`, and no distribution, whose `mean` nobody calls; and it brings only tensors
    to a dtype.
    """
    of, name = method.of, attribute(method.key)
    if of is None or of.own is not None or not (of.came_in or of.result or of.history is not None):
        return False
    if "keepdim" in args.kw or isinstance(args.kw.get("dim"), (int, tuple, ListV)):
        return True
    if name in ("size", "split") and args.pos and isinstance(args.pos[0], (int, ListV)):
        return True
    if name in ("expand", "view"):
        return len(args.pos) > 1
    if not any(a.kind == "trained" for a in m.entry_assumptions):
        return False
    if name in ("to", "type"):
        return any(map(tells_dtype, map(m.state.resolve, args)))
    return name in ("mean", "size") or ("dim" in args.kw and not isinstance(args.kw["dim"], str))


def moves(method: Unknown) -> bool:
    """Whether something is a method of what was passed in, such as `batch.to`, that returns it moved or converted."""
    return method.came_in and attribute(method.key) in MOVING


NUMBERS = ("int", "float", "bool")


TENSORS = ("Tensor", "Parameter")


def tells_type(cls: ClassV, name: str, types: Sequence[str]) -> bool:
    """Whether a class of the program declares the type of an attribute in its body: `rate: float = 0.1`."""
    return any(
        isinstance(s, ir.AnnAssign)
        and isinstance(s.target, ir.Name)
        and s.target.id == name
        and last_name(s.annotation) in types
        for c in cls.mro
        if c.node is not None
        for s in c.node.body
    )


def last_name(annotation: ir.Expr) -> str:
    """The last name of a dotted one: `Tensor` of `torch.Tensor`."""
    return annotation.id if isinstance(annotation, ir.Name) else getattr(annotation, "attr", "")


OF_MODULES = _names("""
    T_destination _apply _backward_hooks _backward_pre_hooks _compiled_call_impl _forward_hooks
    _forward_hooks_always_called _forward_hooks_with_kwargs _forward_pre_hooks _forward_pre_hooks_with_kwargs
    _get_backward_hooks _get_backward_pre_hooks _is_full_backward_hook _load_from_state_dict
    _load_state_dict_post_hooks _load_state_dict_pre_hooks _maybe_warn_non_full_backward_hook _named_members
    _non_persistent_buffers_set _register_load_state_dict_pre_hook _register_state_dict_hook
    _replicate_for_data_parallel _save_to_state_dict _slow_forward _state_dict_hooks _state_dict_pre_hooks _version
    _wrapped_call_impl call_super_init dump_patches get_extra_state ipu mtia register_backward_hook
    register_load_state_dict_post_hook register_load_state_dict_pre_hook register_state_dict_post_hook
    register_state_dict_pre_hook set_submodule xpu
""")
"""attributes of every `torch.nn.Module` that no model describes"""

IN_MODULES = _names("""
    _backward_hooks _backward_pre_hooks _buffers _forward_hooks _forward_hooks_always_called _forward_hooks_with_kwargs
    _forward_pre_hooks _forward_pre_hooks_with_kwargs _is_full_backward_hook _load_state_dict_post_hooks
    _load_state_dict_pre_hooks _modules _non_persistent_buffers_set _parameters _state_dict_hooks
    _state_dict_pre_hooks training
""")
"""what is in the `__dict__` of every `torch.nn.Module`"""

OF_INTEGERS = _names("id ids idx idxs index indexes indices ind inds len lengths lens length dim dims size sizes heads")
"""the last words of names that indices, lengths and sizes have"""


OF_DATA = _names("gt gts ground_truth label labels mask masks target targets truth y_true")
"""the names, or their last words, of what results are compared with, or selected by"""


def tells_integers(name: str) -> bool:
    """Whether a tensor of that name holds integers, which cannot require grad: `edge_index`, `batch.lengths`."""
    return _is_named(name, OF_INTEGERS)


def tells_data(name: str) -> bool:
    """Whether a tensor of that name is data, which seldom requires grad: `target`, `batch.attention_mask`."""
    return _is_named(name, OF_DATA)


def _is_named(name: str, known: frozenset[str]) -> bool:
    """Whether a name, or its last word, is known."""
    last = name.rpartition(".")[2].lower()
    words = re.findall(r"[a-z0-9]+", last)
    return last in known or (bool(words) and words[-1] in known)


_LOSS = re.compile(r"(?:^|_)(?:loss|losses|criterion|cross_entropy|kl_div)(?:_|\d|$)")
_IN_LOSSES = re.compile(r"(?:^|[/\\_])loss(?:es)?\.pyi?$")
"""the path of a file of losses"""


_SETTING = re.compile(r"(?:^|\.)(?:config|cfg|hparams|args|opts?|options|settings)\.\w+$")


def is_setting(name: str) -> bool:
    """Whether something is a setting, which is no tensor that requires grad: `config.rope_theta`."""
    return _SETTING.search(name) is not None


_RESULTS = re.compile(r"(?:^|_)(?:post_?process\w*|(?:batched_)?nms|(?:beam|greedy)_search)(?:_|\d|$)")


def is_for_results(f: FunctionV) -> bool:
    """Whether a function makes results of what a trained model gives, by its name: nobody trains through it."""
    return _RESULTS.search(f.name) is not None


def is_in_place(f: FunctionV) -> bool:
    """Whether a function changes its argument, and returns that, by its name: `sigmoid_`."""
    return f.name.endswith("_") and not f.name.endswith("__")


def tells_loss(name: str) -> bool:
    """Whether a function of that name computes a loss, on which a caller will run backward: `focal_loss`."""
    return _LOSS.search(name) is not None


def computes_loss(f: FunctionV) -> bool:
    """Whether a function computes a loss, by its own name, that of its file, or that of something that it calls."""
    if tells_loss(f.name) or _IN_LOSSES.search(f.chunk.path):
        return True
    body = f.node.body if isinstance(f.node, ir.FunctionDef) else []
    values = (getattr(s, "value", None) for s in statements(body, into_definitions=False))
    return any(isinstance(v, ir.Call) and tells_loss(last_name(v.func)) for v in values)
