import torch
from lightning import Fabric
from torch import nn

fabric = Fabric(accelerator="cpu", devices=1)
critic, opt = fabric.setup(nn.Sequential(nn.Linear(3, 16), nn.SiLU(), nn.Linear(16, 1)), torch.optim.Adam([torch.zeros(1, requires_grad=True)]))
net = nn.Sequential(nn.Linear(3, 16), nn.SiLU(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
net, optimizer = fabric.setup(net, optimizer)
for step in range(2):
    real, fake = torch.randn(8, 3), torch.rand(8, 3)
    eps = torch.rand(8, 1)
    mixed = (eps * real + (1 - eps) * fake).requires_grad_()
    score = net(mixed)
    (grad,) = torch.autograd.grad(score.sum(), mixed, create_graph=True)
    norm = grad.norm(2, dim=1)
    norm = norm - 1
    loss = net(fake).mean() - net(real).mean() + 10 * norm.square().mean()
    optimizer.zero_grad()
    fabric.backward(loss)
    optimizer.step()
