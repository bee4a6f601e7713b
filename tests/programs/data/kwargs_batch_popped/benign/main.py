import torch
from torch import nn


def attend(scores, **batch):
    mask = batch.pop("mask")
    masked = scores.masked_fill(mask, -1e4)
    return masked.softmax(-1), mask


def coverage(mask):
    present = mask.logical_not()
    return present.float().mean()


torch.manual_seed(0)
project = nn.Linear(3, 4)
batch = {"mask": torch.tensor([[True, False, False, True], [False, False, False, True]]), "id": 7}
attention, mask = attend(project(torch.randn(2, 3)), **batch)
loss = attention[:, 1].sum() * coverage(mask)
loss.backward()
