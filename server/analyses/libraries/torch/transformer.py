"""`torch.nn.Transformer` and its layers, replayed by the formulas of `torch/nn/modules/transformer.py`.

A layer is made of modules that the program can access (`layer.self_attn`), and a stack is made of copies of a layer.
The fast path of `eval()` is taken only if nothing requires grad, so it saves nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....facts.model import REQUIRED, ModuleFact
from ...domain import budget
from ...domain.registry import class_named, method_of
from ...domain.values import Args, Instance, Lib, Value
from ...operators import cases, modules
from ...python import attributes
from .formulas import Term, arguments
from .tensors import Copier

if TYPE_CHECKING:
    from ...python.machine import Machine

NN = "torch.nn."
ENCODER_LAYER, DECODER_LAYER = f"{NN}TransformerEncoderLayer", f"{NN}TransformerDecoderLayer"
ENCODER, DECODER, TRANSFORMER = f"{NN}TransformerEncoder", f"{NN}TransformerDecoder", f"{NN}Transformer"
LAYERS = (ENCODER_LAYER, DECODER_LAYER)


def options(m: Machine, cls: str, args: Args) -> dict[str, Value]:
    """The constructor's arguments by name, including defaults."""
    fact = m.facts.table.find(cls)
    assert isinstance(fact, ModuleFact)
    values = {p.name: p.default for p in fact.params if p.default is not REQUIRED}
    values |= cases.bind(fact.params, args)
    return {k: m.state.resolve(v) for k, v in values.items()}


def make(m: Machine, name: str, *args: Value, **kw: Value) -> Value:
    """A new module of `torch.nn`."""
    return m.call(class_named(m, NN + name), arguments(*args, **kw))


def keep(m: Machine, obj: Instance, **parts: Value) -> None:
    """Set attributes of a module."""
    for name, value in parts.items():
        m.state.set(obj.attributes, name, value)


def do(m: Machine, obj: Instance, method: str, *args: Value, **kw: Value) -> Term:
    """Call a module's part or method by its name: the program may have replaced it."""
    return Term(m, m.call(attributes.get(m, obj, method), arguments(*args, **kw)))


# -- layers -------------------------------------------------------------------------------------------


def construct_layer(cls: str) -> None:
    """Register the constructor of a layer; layers differ in their number of attentions and norms."""
    encodes = cls == ENCODER_LAYER

    def init(m: Machine, args: Args) -> Value:
        obj = args[0]
        o = options(m, cls, Args(args.pos[1:], args.kw, args.open))
        keep(m, obj, training=True, norm_first=o["norm_first"], activation=activation(o["activation"]))
        for name in ("self_attn",) if encodes else ("self_attn", "multihead_attn"):
            attention = make(m, "MultiheadAttention", o.get("d_model"), o.get("nhead"), dropout=o["dropout"],
                             bias=o["bias"], batch_first=o["batch_first"])  # fmt: skip
            keep(m, obj, **{name: attention})
        keep(m, obj, linear1=make(m, "Linear", o.get("d_model"), o["dim_feedforward"], bias=o["bias"]))
        keep(m, obj, dropout=make(m, "Dropout", o["dropout"]))
        keep(m, obj, linear2=make(m, "Linear", o["dim_feedforward"], o.get("d_model"), bias=o["bias"]))
        for i in range(1, 3 if encodes else 4):
            norm = make(m, "LayerNorm", o.get("d_model"), eps=o["layer_norm_eps"], bias=o["bias"])
            keep(m, obj, **{f"norm{i}": norm, f"dropout{i}": make(m, "Dropout", o["dropout"])})
        return None

    method_of(cls, "__init__")(init)


for _name in LAYERS:
    construct_layer(_name)


def activation(given: Value) -> Value:
    """The function between the two linear layers, which may be passed by name."""
    return Lib(f"{NN}functional.{given.rsplit('.', 1)[-1]}") if isinstance(given, str) else given


@method_of(ENCODER_LAYER, "_sa_block")
@method_of(DECODER_LAYER, "_sa_block")
def sa_block(m: Machine, args: Args) -> Value:
    """`layer._sa_block(x, attn_mask, key_padding_mask)`: attention of a sequence to itself."""
    obj, x = args[0], args[1]
    return attended(m, obj, "self_attn", "dropout1", x, x, args)


@method_of(DECODER_LAYER, "_mha_block")
def mha_block(m: Machine, args: Args) -> Value:
    """`layer._mha_block(x, mem, attn_mask, key_padding_mask)`: attention of a sequence to the encoder's."""
    obj, x, memory = args.pos[:3]
    return attended(m, obj, "multihead_attn", "dropout2", x, memory, Args(args.pos[1:], args.kw))


def attended(m: Machine, obj: Instance, attention: str, dropout: str, x: Value, key: Value, args: Args) -> Value:
    """The attention of `x` to `key`, after dropout."""
    masks = {"attn_mask": args.get(2, "attn_mask"), "key_padding_mask": args.get(3, "key_padding_mask")}
    pair = do(m, obj, attention, x, key, key, **masks, need_weights=False).value
    return do(m, obj, dropout, pair[0] if isinstance(pair, tuple) else pair).value


@method_of(ENCODER_LAYER, "_ff_block")
@method_of(DECODER_LAYER, "_ff_block")
def ff_block(m: Machine, args: Args) -> Value:
    """`layer._ff_block(x)`: two linear layers with an activation between them."""
    obj, x = args.pos[:2]
    hidden = do(m, obj, "activation", do(m, obj, "linear1", x))
    last = "dropout2" if obj.cls.derives(ENCODER_LAYER) else "dropout3"
    return do(m, obj, last, do(m, obj, "linear2", do(m, obj, "dropout", hidden))).value


def through(m: Machine, obj: Instance, x: Value, blocks: list[tuple[str, str, tuple[Value, ...]]]) -> Value:
    """`x` after blocks with residual connections, with the norm before each block or after each sum."""
    first = m.state.resolve(obj.attributes.get("norm_first")) is True
    for norm, block, args in blocks:
        if first:
            x = Term(m, x) + do(m, obj, block, do(m, obj, norm, x), *args)
        else:
            x = do(m, obj, norm, Term(m, x) + do(m, obj, block, x, *args))
        x = x.value
    return x


@method_of(ENCODER_LAYER, "forward")
def encoder_layer(m: Machine, args: Args) -> Value:
    """`layer(src, src_mask, src_key_padding_mask)`."""
    masks = (args.get(2, "src_mask"), args.get(3, "src_key_padding_mask"))
    blocks = [("norm1", "_sa_block", masks), ("norm2", "_ff_block", ())]
    return through(m, args[0], args.get(1, "src"), blocks)


@method_of(DECODER_LAYER, "forward")
def decoder_layer(m: Machine, args: Args) -> Value:
    """`layer(tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask)`."""
    memory = (args.get(2, "memory"), args.get(4, "memory_mask"), args.get(6, "memory_key_padding_mask"))
    blocks = [
        ("norm1", "_sa_block", (args.get(3, "tgt_mask"), args.get(5, "tgt_key_padding_mask"))),
        ("norm2", "_mha_block", memory),
        ("norm3", "_ff_block", ()),
    ]
    return through(m, args[0], args.get(1, "tgt"), blocks)


# -- stacks -------------------------------------------------------------------------------------------


@method_of(ENCODER, "__init__")
@method_of(DECODER, "__init__")
def stack(m: Machine, args: Args) -> Value:
    """`TransformerEncoder(layer, num_layers, norm)`: copies of the layer (`_get_clones`)."""
    obj, layer, n = args[0], args[1] if len(args.pos) > 1 else None, m.state.resolve(args.get(2, "num_layers"))
    layer = layer if layer is not None else args.kw.get("encoder_layer", args.kw.get("decoder_layer"))
    count = min(n, budget.LIMITS.replayed_layers) if isinstance(n, int) else budget.LIMITS.replayed_layers
    copies = tuple(Copier(m).copy(layer) for _ in range(count))
    keep(m, obj, training=True, num_layers=n, layers=make(m, "ModuleList", copies), norm=args.get(3, "norm"))
    return None


def each_layer(m: Machine, obj: Instance, x: Value, *args: Value, **kw: Value) -> Value:
    """`x` after all layers of a stack, each called with the arguments, and after the final norm."""
    layers = m.state.pick(obj.attributes.get("layers"))
    for _, layer in modules.children(m, layers) if isinstance(layers, Instance) else ():
        x = m.call(layer, arguments(x, *args, **kw))
    return x if m.state.pick(obj.attributes.get("norm")) is None else do(m, obj, "norm", x).value


@method_of(ENCODER, "forward")
def encoder(m: Machine, args: Args) -> Value:
    """`encoder(src, mask, src_key_padding_mask)`."""
    masks = {"src_mask": args.get(2, "mask"), "src_key_padding_mask": args.get(3, "src_key_padding_mask")}
    return each_layer(m, args[0], args.get(1, "src"), **masks)


@method_of(DECODER, "forward")
def decoder(m: Machine, args: Args) -> Value:
    """`decoder(tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask)`."""
    names = ("tgt_mask", "memory_mask", "tgt_key_padding_mask", "memory_key_padding_mask")
    masks = {name: args.get(i, name) for i, name in enumerate(names, 3)}
    return each_layer(m, args[0], args.get(1, "tgt"), args.get(2, "memory"), **masks)


@method_of(TRANSFORMER, "__init__")
def transformer(m: Machine, args: Args) -> Value:
    """`Transformer(…)`: an encoder and a decoder, whose matrices are initialised again (`_reset_parameters`)."""
    obj = args[0]
    o = options(m, TRANSFORMER, Args(args.pos[1:], args.kw, args.open))
    names = ("d_model", "nhead", "dim_feedforward", "dropout", "activation", "layer_norm_eps", "batch_first",
             "norm_first", "bias")  # fmt: skip
    given = {name: o[name] for name in names}
    for part, layer in (("Encoder", ENCODER_LAYER), ("Decoder", DECODER_LAYER)):
        made = o[f"custom_{part.lower()}"]
        if made is None:
            inner = make(m, layer.removeprefix(NN), **given)
            norm = make(m, "LayerNorm", o["d_model"], eps=o["layer_norm_eps"], bias=o["bias"])
            made = make(m, f"Transformer{part}", inner, o[f"num_{part.lower()}_layers"], norm)
        keep(m, obj, **{part.lower(): made})
    keep(m, obj, training=True, d_model=o["d_model"], nhead=o["nhead"], batch_first=o["batch_first"])
    for t in modules.parameters(m, obj):
        if t.shape is None or len(t.shape) > 1:
            m.call(Lib(f"{NN}init.xavier_uniform_"), Args([t]))
    return None


@method_of(TRANSFORMER, "forward")
def transform(m: Machine, args: Args) -> Value:
    """`transformer(src, tgt, src_mask, tgt_mask, memory_mask, …_key_padding_mask)`."""
    obj, names = args[0], ("src_mask", "tgt_mask", "memory_mask", "src_key_padding_mask", "tgt_key_padding_mask",
                               "memory_key_padding_mask")  # fmt: skip
    masks = {name: args.get(i, name) for i, name in enumerate(names, 3)}
    source = {"mask": masks.pop("src_mask"), "src_key_padding_mask": masks.pop("src_key_padding_mask")}
    memory = do(m, obj, "encoder", args.get(1, "src"), **source)
    return do(m, obj, "decoder", args.get(2, "tgt"), memory, **masks).value
