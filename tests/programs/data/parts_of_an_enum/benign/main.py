from enum import Enum, auto

import torch
from torch import nn


class Shift(Enum):
    MAXIMUM = auto()
    NONE = auto()


def by_maximum(scores):
    scores -= scores.detach().amax(dim=-1, keepdim=True)
    return scores


SHIFTS = {Shift.MAXIMUM: by_maximum, Shift.NONE: lambda scores: scores}


def contrast(scores, shift=Shift.NONE):
    evidence = scores.logsumexp(dim=-1)
    relative = SHIFTS[shift](scores)
    return (evidence - relative[:, 0]).mean()


torch.manual_seed(0)
scorer = nn.Linear(4, 3)
contrast(scorer(torch.randn(5, 4))).backward()
