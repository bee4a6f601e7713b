"""A mixer whose channels fold their gain into the weight when they leave training mode."""

import torch
from torch import nn


class Channel(nn.Linear):
    def __init__(self, width, gain):
        nn.Linear.__init__(self, width, width, bias=False)
        self.gain = gain
        self.folded = False
        self.weight.requires_grad_(False)

    def train(self, mode=True):
        nn.Linear.train(self, mode)
        if self.folded is mode:
            factor = 1 / self.gain if mode else self.gain
            self.weight.data *= factor  # changed
            self.folded = not mode
        return self

    def forward(self, x):
        y = nn.functional.linear(x, self.weight)  # saved
        return y if self.folded else y * self.gain


class Mixer(nn.Module):
    def __init__(self, width, channels):
        super().__init__()
        self.preamp = nn.Linear(width, width)
        self.channels = nn.ModuleList([Channel(width, 1.5 + n) for n in range(channels)])

    def forward(self, x):
        x = self.preamp(x)
        return torch.stack([channel(x) for channel in self.channels]).mean(0)


def monitor(mixer, sound):
    with torch.no_grad():
        return mixer(sound).abs().max()


torch.manual_seed(0)
mixer = Mixer(4, 2)
optimizer = torch.optim.SGD(mixer.preamp.parameters(), lr=0.1)
for _ in range(2):
    sound = torch.randn(3, 4)
    loss = mixer(sound).pow(2).mean()
    mixer.eval()
    monitor(mixer, sound)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    mixer.train()
