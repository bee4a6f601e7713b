from torch import nn


class Encoder(nn.Module):
    def __init__(self, vocabulary, width):
        super().__init__()
        self.table = nn.Embedding(vocabulary, width)
        self.mix = nn.Linear(width, width)

    def forward(self, tokens):
        hidden = self.mix(self.table(tokens))
        return hidden, hidden.mean(dim=1)
