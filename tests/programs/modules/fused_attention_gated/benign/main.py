import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(9)


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.gain = nn.Parameter(torch.ones(heads, 1, 1))
        self.project, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x):
        batch, length, width = x.shape
        parts = self.project(x).split(width, dim=2)
        q, k, v = (part.view(batch, length, self.heads, -1).transpose(1, 2) for part in parts)
        mixed = F.scaled_dot_product_attention(q, k, v, dropout_p=0.1)
        mixed += self.gain
        return self.out(mixed.transpose(1, 2).reshape(batch, length, width))


net = Attention(8, 2)
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for _ in range(2):
    x = torch.randn(2, 5, 8)
    loss = F.smooth_l1_loss(net(x), x)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
