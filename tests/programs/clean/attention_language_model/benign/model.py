import torch
from torch import nn


def detached(state):
    """The state without its history; works on tensors, tuples of tensors and None."""
    if state is None:
        return None
    if isinstance(state, torch.Tensor):
        return state.detach()
    return tuple(detached(part) for part in state)


class Attention(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.drop = nn.Dropout(0.1)

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        scores = q @ k.transpose(1, 2)
        scores /= x.size(-1) ** 0.5
        later = torch.ones(scores.shape[-2:], dtype=torch.bool).triu_(1)
        scores.masked_fill_(later, float("-inf"))
        weights = self.drop(scores.softmax(dim=-1))
        return self.out(weights @ v)


class LanguageModel(nn.Module):
    def __init__(self, words, width):
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.rnn = nn.LSTM(width, width, batch_first=True)
        self.attention = Attention(width)
        self.norm = nn.LayerNorm(width)
        self.decode = nn.Linear(width, words)
        self.decode.weight = self.embed.weight
        nn.init.uniform_(self.embed.weight, -0.1, 0.1)
        nn.init.zeros_(self.decode.bias)

    def forward(self, tokens, state):
        x, state = self.rnn(self.embed(tokens), state)
        x = x + self.attention(x)
        return self.decode(self.norm(x)), state
