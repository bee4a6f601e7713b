import torch
from torch import nn
import torch.nn.functional as F


class Layer(nn.Module):
    def __init__(self, inputs, outputs, last=False):
        super().__init__()
        self.send = nn.Linear(inputs, outputs, bias=False)
        self.keep = nn.Linear(inputs, outputs, bias=False)
        self.bias = nn.Parameter(torch.zeros(outputs))
        self.last = last

    def forward(self, x, source, target, degree):
        message = self.send(x)[source]
        out = torch.zeros(len(x), message.size(1))
        out.index_add_(0, target, message)
        out /= degree.unsqueeze(1)
        out += self.keep(x)
        out += self.bias
        return out if self.last else F.relu_(out)


class Net(nn.Module):
    def __init__(self, *widths):
        super().__init__()
        pairs = list(zip(widths, widths[1:]))
        self.layers = nn.ModuleList(Layer(a, b, last=i == len(pairs) - 1) for i, (a, b) in enumerate(pairs))

    def forward(self, x, edges):
        source, target = edges
        degree = torch.zeros(len(x)).scatter_add_(0, target, torch.ones(len(target)))
        degree.clamp_(min=1)
        for layer in self.layers:
            x = layer(x, source, target, degree)
        return x


def accuracy(logits, labels, mask):
    said = logits.detach().argmax(dim=1)
    right = said.eq_(labels)
    return right[mask].float().mean().item()


torch.manual_seed(0)
edges = torch.tensor([[0, 1, 1, 2, 3, 4, 2, 0], [1, 0, 2, 1, 4, 3, 3, 2]])
features = torch.rand(5, 4)
features /= features.sum(dim=1, keepdim=True)
labels = torch.tensor([0, 0, 1, 1, 1])
known = torch.zeros(5, dtype=torch.bool)
known[[0, 2, 4]] = True
net = Net(4, 6, 2)
optimizer = torch.optim.Adam(net.parameters(), lr=0.01, weight_decay=5e-4)
for epoch in range(3):
    net.train()
    optimizer.zero_grad()
    logits = net(features, edges)
    loss = F.cross_entropy(logits[known], labels[known])
    loss.backward()
    optimizer.step()
    print(epoch, loss.item(), accuracy(logits, labels, ~known))
