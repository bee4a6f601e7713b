import torch
import torch.nn.functional as F
from torch import nn
from torch_geometric.data import Data
from torch_geometric.nn import BatchNorm, GATConv, MessagePassing, global_mean_pool
from torch_geometric.utils import softmax


class EdgeAttention(MessagePassing):
    def __init__(self, dim):
        super().__init__(aggr="add", node_dim=0)
        self.lin = nn.Linear(dim, dim)
        self.att = nn.Linear(2 * dim, 1)

    def forward(self, x, edge_index):
        return self.propagate(edge_index, x=self.lin(x))

    def message(self, x_i, x_j, index):
        score = F.leaky_relu(self.att(torch.cat([x_i, x_j], dim=-1)))
        alpha = softmax(score, index)
        out = alpha * x_j
        alpha.clamp_(max=0.9)  # here
        self.last_alpha = alpha
        return out


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = GATConv(4, 8)
        self.norm = BatchNorm(8)
        self.conv2 = EdgeAttention(8)
        self.lin = nn.Linear(8, 2)

    def forward(self, data):
        x = F.elu(self.norm(self.conv1(data.x, data.edge_index)))
        x = self.conv2(x, data.edge_index)
        return self.lin(global_mean_pool(x, torch.zeros(x.size(0), dtype=torch.long)))


graph = Data(x=torch.randn(4, 4), edge_index=torch.tensor([[0, 1, 2, 3], [1, 2, 3, 0]]), y=torch.tensor([1]))
model = Net()
F.cross_entropy(model(graph), graph.y).backward()
