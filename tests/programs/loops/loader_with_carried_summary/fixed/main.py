import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

MIX = 0.5


class Context(nn.Module):
    def __init__(self, width=4):
        super().__init__()
        self.read = nn.Linear(3, width)
        self.out = nn.Linear(width, 1)

    def forward(self, x, summary):
        h = torch.tanh(self.read(x)) + summary
        return self.out(h), h.mean(dim=0)


torch.manual_seed(0)
data = TensorDataset(torch.randn(12, 3), torch.randn(12, 1))
net = Context()
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
summary = torch.zeros(4)
for x, y in DataLoader(data, batch_size=4, shuffle=True):
    prediction, new = net(x, summary)
    loss = nn.functional.smooth_l1_loss(prediction, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if MIX > 0:
        summary = MIX * summary + (1 - MIX) * new.detach()
