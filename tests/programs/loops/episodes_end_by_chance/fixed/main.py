"""A kite flier: an episode is over when the wind drops, which is chance."""
import random

import torch
from torch import nn
from torch.distributions import Categorical


class Flier(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 2))
        self.saved = []

    def forward(self, wind):
        dist = Categorical(logits=self.net(wind))
        action = dist.sample()
        self.saved.append(dist.log_prob(action))
        return action.item()


def returns(rewards, gamma=0.9):
    total, found = 0.0, []
    for r in reversed(rewards):
        total = r + gamma * total
        found.insert(0, total)
    return found


def learn(flier, optimizer, rewards):
    terms = (-log_prob * value for log_prob, value in zip(flier.saved, returns(rewards)))
    optimizer.zero_grad()
    torch.stack(list(terms)).sum().backward()
    optimizer.step()
    rewards.clear()
    flier.saved.clear()


torch.manual_seed(0)
random.seed(1)
flier = Flier()
optimizer = torch.optim.Adam(flier.parameters(), lr=1e-2)
rewards = []
episodes = 0
while episodes < 3:
    wind = torch.randn(3)
    action = flier(wind)
    rewards.append(1.0 if (wind.sum() > 0) == bool(action) else -0.5)
    if random.random() < 0.4:
        learn(flier, optimizer, rewards)
        episodes += 1
print(episodes, len(flier.saved))
