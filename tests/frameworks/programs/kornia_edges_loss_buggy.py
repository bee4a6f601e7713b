import kornia
import torch
from torch import nn


class EdgeLoss(nn.Module):
    def __init__(self):
        super().__init__()
        self.l1 = nn.L1Loss()

    def edges(self, image):
        mag = kornia.filters.sobel(image)
        mag /= mag.amax(dim=(-2, -1), keepdim=True)  # here
        return mag

    def forward(self, pred, target):
        return self.l1(self.edges(pred), self.edges(target))


net = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 3, 3, padding=1))
criterion = EdgeLoss()
optimizer = torch.optim.Adam(net.parameters())
for _ in range(2):
    x = torch.rand(2, 3, 8, 8)
    loss = criterion(net(x), x) + kornia.losses.ssim_loss(net(x), x, window_size=3)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
