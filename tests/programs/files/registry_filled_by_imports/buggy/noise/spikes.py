from .registry import model


@model("spikes")
def clip_spikes(trace):
    return trace.clamp(-3, 3)
