import copy
from itertools import chain

import torch
from torch import nn
import torch.nn.functional as F


def mlp(*sizes):
    layers = []
    for a, b in zip(sizes, sizes[1:]):
        layers += [nn.Linear(a, b), nn.ReLU(inplace=True)]
    return nn.Sequential(*layers[:-1])


class Actor(nn.Module):
    def __init__(self, states, actions, width=8):
        super().__init__()
        self.net = mlp(states, width, 2 * actions)

    def forward(self, state):
        mean, spread = self.net(state).chunk(2, dim=-1)
        spread = spread.clamp(-5, 2).exp()
        raw = mean + spread * torch.randn_like(spread)
        logp = -0.5 * ((raw - mean) / spread) ** 2 - spread.log()
        action = torch.tanh(raw)
        logp -= torch.log(1 - action.pow(2) + 1e-6)
        return action, logp.sum(dim=-1)


class Agent:
    def __init__(self, states=3, actions=1):
        self.actor = Actor(states, actions)
        self.critics = nn.ModuleList([mlp(states + actions, 8, 1) for _ in range(2)])
        self.slow = copy.deepcopy(self.critics).requires_grad_(False)
        self.log_alpha = torch.zeros(1, requires_grad=True)
        self.actor_steps = torch.optim.Adam(self.actor.parameters(), lr=1e-3)
        self.critic_steps = torch.optim.Adam(chain(*(c.parameters() for c in self.critics)), lr=1e-3)
        self.alpha_steps = torch.optim.Adam([self.log_alpha], lr=1e-3)

    @staticmethod
    def lowest(critics, state, action):
        x = torch.cat([state, action], dim=-1)
        return torch.min(*(critic(x).squeeze(-1) for critic in critics))

    def update(self, state, action, reward, following):
        alpha = self.log_alpha.exp().detach()
        with torch.no_grad():
            later, logp = self.actor(following)
            target = self.lowest(self.slow, following, later)
            target -= alpha * logp
            target.mul_(0.9).add_(reward)
        x = torch.cat([state, action], dim=-1)
        critic_loss = sum(F.mse_loss(critic(x).squeeze(-1), target) for critic in self.critics)
        self.critic_steps.zero_grad()
        critic_loss.backward()
        self.critic_steps.step()

        for p in self.critics.parameters():
            p.requires_grad = False
        fresh, logp = self.actor(state)
        actor_loss = (alpha * logp - self.lowest(self.critics, state, fresh)).mean()
        self.actor_steps.zero_grad()
        actor_loss.backward()
        self.actor_steps.step()
        for p in self.critics.parameters():
            p.requires_grad = True

        alpha_loss = -(self.log_alpha * (logp + 1.0).detach()).mean()
        self.alpha_steps.zero_grad()
        alpha_loss.backward()
        self.alpha_steps.step()
        for slow, fast in zip(self.slow.parameters(), self.critics.parameters()):
            slow.data.mul_(0.99).add_(0.01 * fast.data)
        return critic_loss.item(), actor_loss.item()


torch.manual_seed(0)
agent = Agent()
for _ in range(3):
    state = torch.randn(6, 3)
    print(agent.update(state, torch.rand(6, 1), -state[:, 0].abs(), state + 0.1))
