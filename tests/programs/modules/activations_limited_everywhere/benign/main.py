import torch
from torch import nn
from torch.nn.modules.module import register_module_forward_hook

torch.manual_seed(1)
net = nn.Sequential(nn.Linear(4, 6), nn.ReLU(inplace=True), nn.Linear(6, 2))


def limit(module, inputs, output):
    """Keep activations of every module in range."""
    if isinstance(module, nn.Linear):
        output.clamp_(-0.5, 0.5)


handle = register_module_forward_hook(limit)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(2):
    loss = net(torch.randn(3, 4)).square().sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
handle.remove()
