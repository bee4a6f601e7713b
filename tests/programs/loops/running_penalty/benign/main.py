import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(3, 2)
optimizer = torch.optim.Adagrad(net.parameters(), lr=0.01)
penalty = 0.0
for batch in torch.randn(3, 4, 3):
    penalty = 0.0
    for part in batch.split(2):
        penalty += 0.1 * net(part).square().mean()
    loss = net(batch).logsumexp(dim=-1).mean() + penalty
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
