import torch

from corpus.encode import Encoder
from corpus.padding import blank

torch.manual_seed(0)
encoder = Encoder(vocabulary=9, width=4)
tokens = torch.tensor([[1, 5, 0, 0], [3, 2, 8, 0]])
hidden, pooled = encoder(tokens)
hidden = blank(hidden, tokens == 0)
loss = hidden.sum(dim=1).norm() + pooled.sum()
loss.backward()
