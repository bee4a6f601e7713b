import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 4), nn.Softplus(), nn.Linear(4, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.02, momentum=0.9)
every = 2

micro = torch.randn(4, 3, 4)
losses = [net(x).square().mean() for x in micro]  # saved
for i, loss in enumerate(losses, start=1):
    (loss / every).backward()
    if i % every == 0:
        optimizer.step()  # changed
        optimizer.zero_grad()
