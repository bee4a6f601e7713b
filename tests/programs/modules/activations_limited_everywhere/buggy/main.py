import torch
from torch import nn
from torch.nn.modules.module import register_module_forward_hook

torch.manual_seed(1)
net = nn.Sequential(nn.Linear(4, 6), nn.Sigmoid(), nn.Linear(6, 2))


def limit(module, inputs, output):
    """Keep activations of every module in range."""
    if isinstance(module, nn.Sigmoid):
        output.clamp_(-0.5, 0.5)  # changed


handle = register_module_forward_hook(limit)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(2):
    loss = net(torch.randn(3, 4)).square().sum()  # saved
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
handle.remove()
