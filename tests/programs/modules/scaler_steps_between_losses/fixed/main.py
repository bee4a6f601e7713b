import torch
from torch import nn

torch.manual_seed(0)
painter = nn.Sequential(nn.Linear(4, 8), nn.LeakyReLU(0.2), nn.Linear(8, 6))
optimizer = torch.optim.Adam(painter.parameters(), lr=2e-3)
scaler = torch.amp.GradScaler("cpu", enabled=False)
schedule = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)

for _ in range(2):
    noise = torch.randn(5, 4)
    canvas = painter(noise)
    contrast = canvas.std(dim=0).mean()
    clutter = canvas.abs().mean()
    optimizer.zero_grad()
    scaler.scale(-contrast).backward(retain_graph=True)
    scaler.scale(clutter).backward()
    scaler.step(optimizer)
    scaler.update()
    schedule.step()
