import torch
from torch import nn
from torch.distributions import Normal

from rollout import Rollout


class Agent(nn.Module):
    def __init__(self, inputs=3, width=8):
        super().__init__()
        self.actor = nn.Sequential(nn.Linear(inputs, width), nn.Tanh(), nn.Linear(width, 1))
        self.critic = nn.Sequential(nn.Linear(inputs, width), nn.Tanh(), nn.Linear(width, 1))
        self.spread = nn.Parameter(torch.zeros(1))

    def evaluate(self, state, action=None):
        choice = Normal(self.actor(state), self.spread.exp())
        action = choice.sample() if action is None else action
        return action, choice.log_prob(action).sum(-1), choice.entropy().sum(-1), self.critic(state).squeeze(-1)


def update(agent, optimizer, rollout, epochs=2, clip=0.2):
    data = rollout.flat()
    advantage = data["advantage"]
    advantage -= advantage.mean()
    advantage /= advantage.std() + 1e-8
    for _ in range(epochs):
        order = torch.randperm(len(advantage))
        for rows in order.split(4):
            _, logp, entropy, value = agent.evaluate(data["state"][rows], data["action"][rows])
            ratio = (logp - data["logp"][rows]).exp()
            gain = torch.min(ratio * advantage[rows], ratio.clamp(1 - clip, 1 + clip) * advantage[rows])
            loss = -gain.mean() + 0.5 * (value - data["returns"][rows]).square().mean() - 0.01 * entropy.mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimizer.step()


def main():
    torch.manual_seed(0)
    agent = Agent()
    optimizer = torch.optim.Adam(agent.parameters(), lr=3e-3, eps=1e-5)
    for _ in range(2):
        for group in optimizer.param_groups:
            group["lr"] *= 0.9
        rollout = Rollout(steps=4, envs=2)
        state = torch.zeros(2, 3)
        for step in range(4):
            with torch.no_grad():
                action, logp, _, value = agent.evaluate(state)
            reward = -(state[:, 0] - action[:, 0]).abs()
            rollout.store(step, state=state, action=action, logp=logp, value=value, reward=reward)
            state = 0.9 * state + 0.1 * torch.randn(2, 3)
        rollout.finish(discount=0.9, trace=0.9)
        update(agent, optimizer, rollout)


main()
