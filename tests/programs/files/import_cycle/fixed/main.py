import torch

from agent import Agent
from world import World

torch.manual_seed(0)
agent, world = Agent(3), World(3)
surprise = agent.act(world)
surprise.backward()
print(agent.prior.grad)
