import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn


def disagreement(net, average, x):
    goal = average(x)  # saved
    return (net(x) - goal).square().mean()


torch.manual_seed(0)
embed = nn.Linear(3, 4)
net = nn.Sequential(nn.Linear(4, 4), nn.CELU(), nn.Linear(4, 1))
average = AveragedModel(net, multi_avg_fn=get_ema_multi_avg_fn(0.9))
optimizer = torch.optim.SGD([*embed.parameters(), *net.parameters()], lr=0.1)
average.update_parameters(net)
for _ in range(2):
    loss = disagreement(net, average, embed(torch.randn(6, 3)))
    average.update_parameters(net)  # changed
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
