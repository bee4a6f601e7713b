"""Mixed precision (`torch.amp`): the autocast mode, and the scaler of the loss."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...autograd.tensors import Tensor
from ...domain.registry import BASES, method_of, model
from ...domain.values import Args, Builtin, FunctionV, Instance, Lib, Unknown, Value
from ...operators.autocast import Autocast
from ...operators.types import dtype_of
from ...python import attributes, contexts

if TYPE_CHECKING:
    from ...python.machine import Machine

AUTOCAST = "torch.autocast"
SCALER = "torch.amp.GradScaler"

BASES[AUTOCAST] = ()
BASES["torch.amp.autocast"] = (AUTOCAST,)
BASES["torch.amp.autocast_mode.autocast"] = (AUTOCAST,)
BASES["torch.cuda.amp.autocast"] = (AUTOCAST,)
BASES["torch.cpu.amp.autocast"] = (AUTOCAST,)
BASES[SCALER] = ()
BASES["torch.cuda.amp.GradScaler"] = (SCALER,)
BASES["torch.amp.grad_scaler.GradScaler"] = (SCALER,)


# -- autocast ---------------------------------------------------------------------------------------------


@method_of(AUTOCAST, "__init__")
def init(m: Machine, args: Args) -> Value:
    """`torch.autocast(device_type, dtype, enabled)`; the variants in a device's module take no device type."""
    obj = args[0]
    home = next((c.qualname.split(".")[1] for c in obj.cls.mro if c.qualname.count(".") == 3), None)
    if home in ("cuda", "cpu"):
        device: Value = home
        enabled, dtype = args.get(1, "enabled", True), args.get(2, "dtype")
    else:
        device = m.state.resolve(args.get(1, "device_type"))
        dtype, enabled = args.get(2, "dtype"), args.get(3, "enabled", True)
    obj.model_state.update(device=device, dtype=m.state.resolve(dtype), enabled=m.state.resolve(enabled))
    return None


def modes(m: Machine, v: Instance) -> dict[str, Value]:
    """The mode inside; if it is unknown whether it is enabled, we assume that it isn't."""
    if v.model_state.get("enabled") is not True:
        return {"autocast": None}
    on_cpu = v.model_state["device"] == "cpu"
    dtype = dtype_of(v.model_state["dtype"]) or ("bfloat16" if on_cpu else "float16")
    return {"autocast": Autocast(dtype, not on_cpu)}


contexts.mode(AUTOCAST, modes)


@method_of(AUTOCAST, "__call__")
def decorate(m: Machine, args: Args) -> Value:
    """`torch.autocast(…)(f)`."""
    from ...python.decorators import decorate as wrap

    return wrap(m, args[0], args[1])


@model("torch.is_autocast_enabled")
def is_autocast_enabled(m: Machine, args: Args) -> Value:
    """`torch.is_autocast_enabled()`."""
    return m.grad.mode.get("autocast") is not None


@model("torch.amp.custom_fwd", "torch.amp.custom_bwd", "torch.cuda.amp.custom_fwd", "torch.cuda.amp.custom_bwd")
def custom(m: Machine, args: Args) -> Value:
    """Decorators of a custom Function's methods, with or without arguments."""
    if args.pos and isinstance(args[0], FunctionV):
        return args[0]
    return Builtin("custom_fwd", lambda machine, inner: inner[0])


# -- the scaler -------------------------------------------------------------------------------------------


@method_of(SCALER, "__init__")
def scaler(m: Machine, args: Args) -> Value:
    """`GradScaler(device, …, enabled)`."""
    args[0].model_state["enabled"] = m.state.resolve(args.kw.get("enabled", True))
    return None


@method_of(SCALER, "scale")
def scale(m: Machine, args: Args) -> Value:
    """`scaler.scale(loss)`: a product with the scaler's own tensor; the loss itself if scaling is disabled."""
    if args[0].model_state.get("enabled") is False:
        return args.get(1, "outputs")

    def one(v: Value) -> Value:
        if isinstance(v, Tensor):
            return m.call(Lib("torch.mul"), Args([v, m.grad.tensor(None, "float32")]))
        return tuple(one(i) for i in v) if isinstance(v, tuple) else v

    return m.state.each(args.get(1, "outputs"), one)


@method_of(SCALER, "step")
def step(m: Machine, args: Args) -> Value:
    """`scaler.step(optimizer)`: the optimizer's step, if no gradient overflowed."""
    return m.call(attributes.get(m, args.get(1, "optimizer"), "step"), Args(args.pos[2:], args.kw, site=args.site))


@method_of(SCALER, "is_enabled")
def is_enabled(m: Machine, args: Args) -> Value:
    """`scaler.is_enabled()`."""
    return args[0].model_state.get("enabled", True)


@method_of(SCALER, "update", "unscale_", "get_scale", "state_dict", "load_state_dict", "get_growth_factor")
def other(m: Machine, args: Args) -> Value:
    """Methods that write no parameter (gradients are unscaled unseen by their counters)."""
    return Unknown("a value")
