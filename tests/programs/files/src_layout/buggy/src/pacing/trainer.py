import torch
from torch import nn

from .curriculum import Curriculum


class Trainer:
    def __init__(self, levels):
        torch.manual_seed(0)
        self.net = nn.Linear(4, levels)
        self.curriculum = Curriculum(levels)
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.1)

    def step(self, batch):
        losses = self.net(batch).square().mean(dim=0)
        total = self.curriculum.weigh(losses)
        self.curriculum.advance()
        self.optimizer.zero_grad()
        total.backward()
        self.optimizer.step()

    def run(self, steps):
        for _ in range(steps):
            self.step(torch.randn(6, 4))
