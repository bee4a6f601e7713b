"""Multi-head attention: which inputs it projects, and what it saves of its weights (`torch/nn/functional.py`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..call import Call, Family
from .names import functional, modules
from .products import shared

if TYPE_CHECKING:
    from ....facts.views import Form
    from ...autograd.tensors import Grad, Tensor
    from ..interpreter import Interpreter


def keeps(m: Interpreter, call: Call) -> dict[str, Grad]:
    """The module projects its inputs by `linear`, their sequence before their batch."""
    batch_first = call.settings.get("batch_first") is True
    kept: dict[str, Grad] = {"self.in_proj_weight": True, "self.out_proj.weight": True}
    for name in ("query", "key", "value"):
        for t in call.tensors.get(name, ()):
            g = t.geometry
            if g is not None and g.ndim == 3:
                kept[name] = shared(m, t, g, [(1, 0) if batch_first else (0, 1)])
    return kept


def used(call: Call) -> list[tuple[str, Tensor]]:
    """A tensor that is given as key and value is projected once, also if it is the query (`_in_projection_packed`)."""
    found = [(p, t) for p, ts in call.tensors.items() for t in ts]
    given = {p: ts[0] for p, ts in call.tensors.items() if ts}
    key, options = given.get("key"), {**call.settings, **call.values}
    widths = {options.get(name) for name in ("kdim", "vdim")} - {None, options.get("embed_dim")}
    apart = widths or options.get("use_separate_proj_weight") is True
    if apart or key is None or key is not given.get("value"):
        return found
    again = {"value", "key"} if key is given.get("query") else {"value"}
    return [(p, t) for p, t in found if p not in again]


def form(call: Call, parameter: str, told: Form) -> Form:
    """It takes apart the weight that projects its inputs, unless these are one."""
    given = [call.tensors.get(name, [])[:1] for name in ("query", "key", "value")]
    one = given[0] == given[1] == given[2]
    return "view" if told == "pieces" and parameter.endswith("in_proj_weight") and one else told


FAMILIES = {
    modules("MultiheadAttention"): Family(keeps=keeps, used=used, several=True, form=form),
    functional("multi_head_attention_forward"): Family(used=used, several=True, form=form),
    modules("Transformer TransformerDecoder TransformerDecoderLayer"): Family(form=form),
}
