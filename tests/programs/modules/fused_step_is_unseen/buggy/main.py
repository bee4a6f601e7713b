import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 5), nn.Sigmoid(), nn.Linear(5, 2))
optimizer = torch.optim.SGD(net.parameters(), lr=0.5, fused=True)

for _ in range(2):
    optimizer.zero_grad()
    currents = torch.randn(4, 3)
    output = net(currents)  # saved
    left, right = output[:, 0].mean(), output[:, 1].square().mean()
    left.backward(retain_graph=True)
    optimizer.step()  # changed
    right.backward()
