import torch
from torch import nn
from torchmetrics.functional.image import structural_similarity_index_measure as ssim
from torchmetrics.image import PeakSignalNoiseRatio

net = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.ReLU(), nn.Conv2d(4, 1, 3, padding=1), nn.Sigmoid())
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
psnr = PeakSignalNoiseRatio(data_range=1.0)
for _ in range(2):
    clean = torch.rand(1, 1, 16, 16)
    restored = net(clean + 0.1 * torch.randn_like(clean))
    loss = 1 - ssim(restored, clean, data_range=1.0)
    restored.clamp_(0, 1)  # here
    score = psnr(restored, clean)
    opt.zero_grad()
    loss.backward()
    opt.step()
