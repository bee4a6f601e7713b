"""An utterance is divided in place by its deviation, whose squares need the utterance as it was."""

import torch

weights = torch.ones(2, 7, 3, requires_grad=True)
x = weights * torch.rand(2, 7, 3)
x -= x.mean(dim=1, keepdim=True)
variance = x.pow(2).mean(dim=1, keepdim=True)
x /= variance.sqrt()
x.sum().backward()
