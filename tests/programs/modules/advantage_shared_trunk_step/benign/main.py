import torch

from agent import Agent

torch.manual_seed(0)
agent = Agent(observations=4, actions=3)
for _ in range(2):
    agent.improve(torch.randn(6, 4), returns=torch.rand(6, 1))
