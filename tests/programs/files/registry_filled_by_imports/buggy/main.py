"""Noise models of a seismometer, chosen by their names."""
import torch

from noise.registry import MODELS

torch.manual_seed(0)
gain = torch.ones(16, requires_grad=True)
trace = torch.randn(16) * gain
energy = trace.pow(2)  # saved
corrected = MODELS["baseline"](trace)
loss = energy.mean() + corrected.mean()
loss.backward()
