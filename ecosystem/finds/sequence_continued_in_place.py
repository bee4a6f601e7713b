"""The next item is written into the sequence that a recurrent layer has saved."""

import torch
from torch import nn

decoder, head = nn.LSTM(4, 4, batch_first=True), nn.Linear(4, 4)
sequence = torch.zeros(1, 3, 4)
outputs = []
for i in range(2):
    hidden, _ = decoder(sequence)
    item = head(hidden[:, i])
    outputs.append(item)
    sequence[:, i + 1] = item
torch.stack(outputs).sum().backward()
