"""What the weights of an inner loop are: copies or not, with or without a graph to the module's own."""

import higher
import torch
from torch import nn


def told(**options):
    torch.manual_seed(0)
    net = nn.Linear(2, 1)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    with higher.innerloop_ctx(net, opt, **options) as (fnet, diffopt):
        first = list(fnet.parameters())[0]
        print("TRACE first", first is net.weight, first.is_leaf, first.requires_grad)
        diffopt.step(fnet(torch.ones(3, 2)).square().sum())
        after = list(fnet.parameters())[0]
        print("TRACE after", after is first, after.is_leaf, after.requires_grad, net.weight._version, first._version)
        fnet(torch.ones(3, 2)).sum().backward()
        print("TRACE grads", net.weight.grad is None, first.grad is None if first.is_leaf else None)


told()
told(copy_initial_weights=False)
told(track_higher_grads=False)
told(copy_initial_weights=False, track_higher_grads=False)
net = nn.Linear(2, 1)
fnet = higher.monkeypatch(net)
print("TRACE patched", len(list(fnet.parameters())), fnet(torch.ones(1, 2)).requires_grad)
