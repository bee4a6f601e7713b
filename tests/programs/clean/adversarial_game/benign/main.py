"""Imagined leaf outlines against real ones."""
import torch
from torch import nn

torch.manual_seed(0)
CODE, POINTS = 3, 8


def init(module):
    if isinstance(module, nn.Linear):
        module.weight.data.normal_(0.0, 0.1)
        module.bias.data.fill_(0)


def outlines(count):
    angle = torch.linspace(0, 6.28, POINTS).expand(count, POINTS)
    radius = 1 + 0.2 * torch.sin(3 * angle)
    radius += 0.05 * torch.randn(count, POINTS)
    return radius


painter = nn.Sequential(nn.Linear(CODE, 10), nn.ReLU(inplace=True), nn.Linear(10, POINTS), nn.Softplus())
critic = nn.Sequential(nn.Linear(POINTS, 10), nn.LeakyReLU(0.2, inplace=True), nn.Linear(10, 1), nn.Sigmoid())
painter.apply(init)
critic.apply(init)
criterion = nn.BCELoss()
critic_steps = torch.optim.Adam(critic.parameters(), lr=2e-3, betas=(0.5, 0.999))
painter_steps = torch.optim.Adam(painter.parameters(), lr=2e-3, betas=(0.5, 0.999))
fixed = torch.randn(2, CODE)

for epoch in range(2):
    for batch in (outlines(4), outlines(4)):
        critic.zero_grad()
        label = torch.full((len(batch),), 1.0)
        on_real = criterion(critic(batch).view(-1), label)
        on_real.backward()
        fake = painter(torch.randn(len(batch), CODE))
        label.fill_(0.0)
        on_fake = criterion(critic(fake.detach()).view(-1), label)
        on_fake.backward()
        critic_steps.step()

        painter.zero_grad()
        label.fill_(1.0)
        fooled = criterion(critic(fake).view(-1), label)
        fooled.backward()
        painter_steps.step()
    with torch.no_grad():
        shown = painter(fixed)
        shown -= shown.mean()
    print(epoch, on_real.item() + on_fake.item(), fooled.item(), shown.std().item())
