import torch
from torch import nn


class Critic(nn.Sequential):
    def __init__(self, width=8):
        super().__init__(nn.Linear(2, width), nn.ReLU(), nn.Linear(width, 1))

    @torch.no_grad()
    def limit(self, bound):
        for name, parameter in self.named_parameters():
            if name.endswith("weight"):
                parameter.clamp_(-bound, bound)


torch.manual_seed(0)
critic = Critic()
optimizer = torch.optim.RMSprop(critic.parameters(), lr=5e-4)
for _ in range(3):
    real, fake = torch.randn(6, 2) + 2, torch.randn(6, 2)
    distance = critic(fake).mean() - critic(real).mean()
    optimizer.zero_grad()
    distance.backward()
    optimizer.step()
    critic.limit(0.05)
