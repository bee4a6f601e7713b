"""A dropout works in place on the result of an activation that needs it for backward."""

import torch
from torch import nn

encoder = nn.Sequential(nn.Linear(4, 4), nn.ReLU(inplace=True))
dropout = nn.Dropout(0.1, inplace=True)
dropout(encoder(torch.rand(2, 4))).sum().backward()
