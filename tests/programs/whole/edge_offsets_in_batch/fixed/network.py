from typing import NamedTuple

import torch
from torch import Tensor, nn


class Timetable(NamedTuple):
    stations: Tensor
    edges: Tensor
    delay: Tensor


def collate(tables):
    offset, edges = 0, []
    for table in tables:
        shifted = table.edges
        shifted = shifted + offset
        edges.append(shifted)
        offset += len(table.stations)
    stations = torch.cat([table.stations for table in tables])
    return stations, torch.cat(edges, dim=1), torch.cat([table.delay for table in tables])


class Messages(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.own = nn.Linear(inputs, outputs)
        self.other = nn.Linear(inputs, outputs)

    def forward(self, x, edges):
        source, target = edges
        sent = self.other(x).index_select(0, source)
        received = torch.zeros(len(x), sent.size(1)).index_add(0, target, sent)
        return self.own(x) + received


class GraphNet(nn.Module):
    def __init__(self, features, width):
        super().__init__()
        self.layers = nn.ModuleList([Messages(features, width), Messages(width, 1)])

    def forward(self, x, edges):
        for layer in self.layers[:-1]:
            x = torch.relu(layer(x, edges))
        return self.layers[-1](x, edges)
