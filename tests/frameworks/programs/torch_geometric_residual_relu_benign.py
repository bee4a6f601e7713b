import torch
from torch import nn
from torch_geometric.nn import GCNConv, SAGEConv


class DeepGCN(nn.Module):
    def __init__(self, hidden=8, layers=2):
        super().__init__()
        self.inp = nn.Linear(5, hidden)
        self.convs = nn.ModuleList([GCNConv(hidden, hidden) for _ in range(layers)])
        self.out = SAGEConv(hidden, 3)

    def forward(self, x, edge_index):
        x = self.inp(x).relu()
        for conv in self.convs:
            h = conv(x, edge_index)
            h += x
            x = nn.functional.dropout(h, 0.1, training=self.training)
        return self.out(x, edge_index)


model = DeepGCN()
out = model(torch.randn(6, 5), torch.randint(0, 6, (2, 10)))
nn.functional.cross_entropy(out, torch.randint(0, 3, (6,))).backward()
