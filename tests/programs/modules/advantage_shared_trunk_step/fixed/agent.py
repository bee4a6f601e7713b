import torch
from torch import nn


class Agent(nn.Module):
    def __init__(self, observations, actions, width=8):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(observations, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh())
        self.policy = nn.Linear(width, actions)
        self.value = nn.Linear(width, 1)
        shared = list(self.trunk.parameters())
        self.value_optimizer = torch.optim.Adam(shared + list(self.value.parameters()), lr=1e-2)
        self.policy_optimizer = torch.optim.Adam([*self.trunk.parameters(), *self.policy.parameters()], lr=1e-3)

    def improve(self, states, returns):
        features = self.trunk(states)
        value = self.value(features)
        critic_loss = (returns - value).square().mean()
        advantage = (returns - value).detach()
        actor_loss = -(self.policy(features).log_softmax(-1)[:, :1] * advantage).mean()

        self.value_optimizer.zero_grad()
        critic_loss.backward(retain_graph=True)
        actor_loss.backward()
        self.value_optimizer.step()
        self.policy_optimizer.step()
        self.policy_optimizer.zero_grad()
