"""Message passing and convolutions on graphs, as in torch_geometric 2.x."""

import torch
from gradguard import accepts, linked, unknown
from torch import nn


class MessagePassing(nn.Module):
    def __init__(self, aggr="sum", *, flow="source_to_target", node_dim=-2, **kwargs):
        super().__init__()
        self.aggr = aggr
        self.flow = flow
        self.node_dim = node_dim

    def propagate(self, edge_index, size=None, **kwargs):
        target, source = (1, 0) if self.flow == "source_to_target" else (0, 1)
        given = {}
        for name, value in kwargs.items():
            first, second = value if isinstance(value, tuple) else (value, value)
            if accepts(self.message, f"{name}_j"):
                given[f"{name}_j"] = first.index_select(self.node_dim, edge_index[source])
            if accepts(self.message, f"{name}_i"):
                given[f"{name}_i"] = second.index_select(self.node_dim, edge_index[target])
            if accepts(self.message, name):
                given[name] = value
        for name in ("edge_index", "index", "ptr", "size_i", "dim_size"):
            if accepts(self.message, name):
                given[name] = edge_index if name == "edge_index" else edge_index[target] if name == "index" else None
        out = self.aggregate(self.message(**given), edge_index[target])
        return self.update(out)

    def message(self, x_j):
        return x_j

    def aggregate(self, inputs, index, ptr=None, dim_size=None):
        return linked(inputs)

    def update(self, inputs):
        return inputs

    def reset_parameters(self):
        pass


class AnyConv(MessagePassing):
    """Any convolution of the library: a linear layer, which saves its input, then messages."""

    def __init__(self, in_channels=None, out_channels=None, *args, **kwargs):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(unknown("out"), unknown("in")))
        self.bias = nn.Parameter(torch.zeros(unknown("out")))

    def forward(self, x, edge_index=None, *args, **kwargs):
        return linked(x, self.weight, self.bias, *args, *kwargs.values(), saves=[x, self.weight])


def pooled(x, batch, size=None):
    return linked(x)


global_mean_pool = pooled
global_add_pool = pooled
global_max_pool = pooled


def __getattr__(name):
    if name.endswith("Conv"):
        return AnyConv
    raise AttributeError(name)
