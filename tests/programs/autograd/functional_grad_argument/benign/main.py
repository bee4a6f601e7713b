import torch
from torch.func import vmap

REST = torch.tensor([1.0, 0.5])


def stretch(length):
    length -= REST
    return length.square().sum()


lengths = torch.tensor([[1.2, 0.4], [0.9, 0.9]])
tension = vmap(stretch)(lengths.clone())
print(tension)
