import torch
from torch import nn


class Flow(nn.Module):
    """Compares each frame's features with those of the frame before."""

    def __init__(self, channels=3, width=4, learn_both=True):
        super().__init__()
        self.encode = nn.Conv2d(channels, width, 3, padding=1)
        self.compare = nn.Conv2d(2 * width, 2, 1)
        self.learn_both = learn_both
        self.previous = None

    def forward(self, frame):
        now = torch.tanh(self.encode(frame))
        before = now.detach() if self.previous is None else self.previous
        self.previous = now.detach()
        return self.compare(torch.cat([before, now], dim=1))


torch.manual_seed(3)
flow = Flow()
optimizer = torch.optim.SGD(flow.parameters(), lr=0.01)
for _ in range(3):
    motion = flow(torch.rand(1, 3, 6, 6))
    loss = motion.square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
