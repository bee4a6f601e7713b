"""Next-character model of stage directions, by chunks."""
import torch
from torch import nn
import torch.nn.functional as F

from text import alphabet, chunks

torch.manual_seed(0)


class Writer(nn.Module):
    def __init__(self, letters, width=8):
        super().__init__()
        self.width = width
        self.embed = nn.Embedding(letters, width)
        self.cell = nn.LSTMCell(width, width)
        self.read = nn.Linear(width, letters)

    def blank(self, batch):
        return torch.zeros(batch, self.width), torch.zeros(batch, self.width)

    def forward(self, letters, state):
        out = []
        for letter in letters.unbind(dim=1):
            state = self.cell(self.embed(letter), state)
            out.append(self.read(state[0]))
        return torch.stack(out, dim=1), state


def carry(state):
    hidden, cell = state
    return hidden.detach(), cell


def train(writer, epochs=1):
    optimizer = torch.optim.Adam(writer.parameters(), lr=0.01)
    for _ in range(epochs):
        state = writer.blank(batch=2)
        for now, following in chunks(length=5, batch=2):
            logits, state = writer(now, state)
            loss = F.cross_entropy(logits.flatten(0, 1), following.flatten())
            optimizer.zero_grad()
            loss.backward()  # raises
            optimizer.step()
            state = carry(state)
    return loss.item()


print(train(Writer(len(alphabet()))))
