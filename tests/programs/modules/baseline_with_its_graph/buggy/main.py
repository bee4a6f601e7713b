import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
policy = nn.Linear(3, 2)
critic = nn.Linear(3, 1)
optimizer = torch.optim.Adam([{"params": policy.parameters()}, {"params": critic.parameters(), "lr": 1e-3}], lr=1e-2)
baseline = torch.zeros(())
for episode in range(3):
    states = torch.randn(5, 3)
    choice = Categorical(logits=policy(states))
    actions = choice.sample()
    returns = states.sum(dim=1) * (2.0 * actions - 1)
    value = critic(states).mean()
    advantage = returns - baseline
    loss = -(choice.log_prob(actions) * advantage).mean() + (value - returns.mean()).square()
    optimizer.zero_grad()
    loss.backward()  # raises
    optimizer.step()
    baseline = 0.9 * baseline + 0.1 * value
