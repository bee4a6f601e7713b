"""Tension of springs from their stretched lengths."""
import torch
from torch.func import grad, vmap

REST = torch.tensor([1.0, 0.5])


def stretch(length):
    length = length - REST
    return length.square().sum()


def tension(lengths):
    return vmap(grad(stretch))(lengths)


lengths = torch.tensor([[1.2, 0.4], [0.9, 0.9]])
for row in tension(lengths):
    print(row)
