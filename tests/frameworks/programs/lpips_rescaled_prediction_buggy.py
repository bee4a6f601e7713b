import lpips
import torch
from torch import nn

decoder = nn.Sequential(nn.Conv2d(4, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 3, 3, padding=1), nn.Tanh())
perceptual = lpips.LPIPS(net="alex", pretrained=False, pnet_rand=True, verbose=False)
perceptual.requires_grad_(False)
optimizer = torch.optim.Adam(decoder.parameters(), lr=1e-4)
for _ in range(2):
    target = torch.rand(1, 3, 64, 64) * 2 - 1
    image = decoder(torch.randn(1, 4, 64, 64))
    loss = perceptual(image, target).mean()
    image.add_(1).div_(2)  # here
    loss = loss + (image - (target + 1) / 2).abs().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
