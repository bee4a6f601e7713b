import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(3, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
log = torch.zeros(3)
for step in range(3):
    x = torch.randn(5, 3)
    loss = (net(x) - x.mean(1, keepdim=True)).square().mean()
    log[step] = loss
    smooth = 0.5 * loss + 0.5 * log[: step + 1].mean()
    optimizer.zero_grad()
    smooth.backward()  # raises
    optimizer.step()
print(log.tolist())
