import torch
from torch import nn

torch.manual_seed(4)
net = nn.Sequential(nn.Linear(3, 5), nn.Softplus(), nn.Linear(5, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=1e-2)
for epoch in range(2):
    x = torch.randn(6, 3)
    loss = net(x).square().mean()
    optimizer.zero_grad()
    loss.backward(create_graph=True)
    penalty = sum(p.grad.square().sum() for p in net.parameters())  # saved
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)  # changed
    penalty.backward()
    optimizer.step()
