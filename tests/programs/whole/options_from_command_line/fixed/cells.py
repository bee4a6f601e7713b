import torch
from torch import nn
import torch.nn.functional as F

ACTIVATIONS = {
    "elu": F.elu,
    "elu_": F.elu_,
    "tanh": torch.tanh,
}


class MoistureNet(nn.Module):
    def __init__(self, width, activation):
        super().__init__()
        self.wet = nn.Linear(1, width)
        self.gate = nn.Linear(width, width)
        self.read = nn.Linear(width, 1)
        self.activation = ACTIVATIONS[activation]

    def cell(self, rain, state):
        mixed = self.wet(rain.unsqueeze(-1)) + state
        keep = torch.sigmoid(self.gate(mixed))
        fresh = self.activation(mixed.clone())
        return keep * state + (1 - keep) * fresh

    def forward(self, rain):
        state = rain.new_zeros(rain.size(1), self.gate.in_features)
        moisture = []
        for day in rain:
            state = self.cell(day, state)
            moisture.append(self.read(state).squeeze(-1))
        return torch.stack(moisture)
