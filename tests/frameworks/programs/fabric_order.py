"""What Fabric's `setup` gives back, whether a step writes, and what `backward` and a module's outputs are."""

import torch
from lightning.fabric import Fabric
from torch import nn

fabric = Fabric(accelerator="cpu", devices=1)
fabric.launch()
net = nn.Linear(2, 2)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
module, optimizer = fabric.setup(net, opt)
print("TRACE setup", module is net, list(module.parameters())[0] is net.weight, isinstance(module, nn.Module))
out = module(torch.ones(1, 2))
print("TRACE out", out.requires_grad, out._is_view(), out._version)
out.add_(1)
loss = out.square().sum()
fabric.backward(loss, retain_graph=True)
print("TRACE backward", net.weight.grad is None, net.weight._version)
optimizer.step()
print("TRACE step", net.weight._version > 0)
optimizer.zero_grad()
print("TRACE zero", net.weight.grad is None)
fabric.clip_gradients(module, optimizer, max_norm=1.0)
with fabric.autocast():
    print("TRACE autocast", torch.is_autocast_enabled(), torch.is_grad_enabled())
with fabric.no_backward_sync(module, enabled=False):
    print("TRACE sync", torch.is_grad_enabled())
