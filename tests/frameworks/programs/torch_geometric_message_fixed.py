import torch
from torch import nn
from torch_geometric.nn import GCNConv, MessagePassing


class Edge(MessagePassing):
    def __init__(self, dim):
        super().__init__(aggr="add")
        self.lin = nn.Linear(2 * dim, dim)

    def forward(self, x, edge_index):
        return self.propagate(edge_index, x=x)

    def message(self, x_i, x_j):
        gate = torch.sigmoid(self.lin(torch.cat([x_i, x_j], -1)))
        gate = gate * 2
        return gate * x_j


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = GCNConv(4, 8)
        self.edge = Edge(8)

    def forward(self, x, edge_index):
        return self.edge(self.conv(x, edge_index).relu(), edge_index)


net = Net()
out = net(torch.randn(5, 4), torch.randint(0, 5, (2, 9)))
out.sum().backward()
