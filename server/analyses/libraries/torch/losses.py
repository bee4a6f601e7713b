"""Modules that pass their tensors on to a function (`torch/nn/modules/loss.py`, `sparse.py`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...autograd.tensors import Tensor
from ...domain.registry import method_of, model
from ...domain.values import Args, Lib, Unknown, Value
from ...python import attributes

if TYPE_CHECKING:
    from ...python.machine import Machine

FUNCTIONS: dict[str, tuple[str, tuple[str, ...]]] = {
    "CrossEntropyLoss": ("cross_entropy", ("weight", "ignore_index", "reduction", "label_smoothing")),
    "NLLLoss": ("nll_loss", ("weight", "ignore_index", "reduction")),
    "BCELoss": ("binary_cross_entropy", ("weight", "reduction")),
    "BCEWithLogitsLoss": ("binary_cross_entropy_with_logits", ("weight", "reduction", "pos_weight")),
    "MultiMarginLoss": ("multi_margin_loss", ("p", "margin", "weight", "reduction")),
    "MultiLabelSoftMarginLoss": ("multilabel_soft_margin_loss", ("weight", "reduction")),
    "CTCLoss": ("ctc_loss", ("blank", "reduction", "zero_infinity")),
}
"""Losses whose function saves tensors that no sample of the class shows, and which of its own tensors each passes."""


def passes(cls: str, function: str, names: tuple[str, ...]) -> None:
    """Register the forward of a loss."""

    def forward(m: Machine, args: Args) -> Value:
        obj = args[0]
        own = {name: attributes.get(m, obj, name) for name in names}
        inner = Args(args.pos[1:], {**args.kw, **own}, args.open, args.site)
        return m.call(Lib(f"torch.nn.functional.{function}"), inner)

    method_of(f"torch.nn.{cls}", "forward")(forward)


for _cls, (_function, _names) in FUNCTIONS.items():
    passes(_cls, _function, _names)

BAG = ("max_norm", "norm_type", "scale_grad_by_freq", "mode", "sparse", "include_last_offset", "padding_idx")


@method_of("torch.nn.EmbeddingBag", "forward")
def embedding_bag(m: Machine, args: Args) -> Value:
    """`bag(input, offsets, per_sample_weights)`."""
    obj = args[0]
    own = {name: attributes.get(m, obj, name) for name in BAG}
    own["per_sample_weights"] = args.get(3, "per_sample_weights")
    given = [args.get(1, "input"), attributes.get(m, obj, "weight"), args.get(2, "offsets")]
    return m.call(Lib("torch.nn.functional.embedding_bag"), Args(given, own, args.open, args.site))


@model("torch.nn.Embedding.from_pretrained", "torch.nn.EmbeddingBag.from_pretrained")
def from_pretrained(m: Machine, args: Args) -> Value:
    """`Embedding.from_pretrained(embeddings, freeze=True, …)`: the weight is a Parameter over the given memory."""
    cls, weight, freeze = args[0], args.get(1, "embeddings"), m.state.resolve(args.get(2, "freeze", True))
    options = {k: v for k, v in args.kw.items() if k not in ("embeddings", "freeze")}
    shape = weight.shape if isinstance(weight, Tensor) and weight.shape is not None else (None, None)
    sizes = [Unknown("a size") if n is None else n for n in shape]
    obj = m.call(cls, Args(sizes, options, site=args.site))
    parameter = m.call(Lib("torch.nn.Parameter"), Args([weight], {"requires_grad": freeze is False}))
    m.state.set(obj.attributes, "weight", parameter)
    return obj
