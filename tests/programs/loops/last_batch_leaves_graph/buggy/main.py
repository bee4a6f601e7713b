import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(2, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for batch in torch.randn(3, 5, 2):
    loss = net(batch).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def sensitivity(loss):
    net.zero_grad()
    loss.backward()  # raises
    return [p.grad.norm().item() for p in net.parameters()]


print(sensitivity(loss))
