"""Transforms with parameters of their own."""

import torch


class TransformModule(torch.distributions.Transform, torch.nn.Module):
    pass
