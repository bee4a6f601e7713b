"""Voices of a choir: those that do not sing are turned down."""
import torch

torch.manual_seed(7)
breath = torch.rand(3, requires_grad=True)
voices = {"alto": breath.tanh(), "bass": breath.cos(), "tenor": breath + 1.0}  # saved
singing = {"bass"} | {"tenor"}
silent = set(voices).difference(singing)
for name in sorted(silent):
    voices[name].mul_(0.0)  # changed
sum(voice.sum() for voice in voices.values()).backward()
