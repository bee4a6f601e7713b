import torch
from torch import nn

torch.manual_seed(0)
critic = nn.Sequential(nn.Linear(2, 5), nn.Tanh(), nn.Linear(5, 1))
generator = nn.Linear(3, 2)
critic_steps = torch.optim.Adam(critic.parameters(), lr=1e-2)
generator_steps = torch.optim.Adam(generator.parameters(), lr=1e-2)


def penalty(samples):
    samples = samples.detach().requires_grad_()
    scores = critic(samples)
    (slope,) = torch.autograd.grad(scores.sum(), samples, create_graph=True)
    return (slope.norm(dim=1) - 1).square().mean()


for _ in range(2):
    real, fake = torch.randn(4, 2), generator(torch.randn(4, 3))
    smooth = penalty(real)
    (critic(fake.detach()).mean() - critic(real).mean()).backward()
    smooth.backward()
    critic_steps.step()
    critic_steps.zero_grad()
