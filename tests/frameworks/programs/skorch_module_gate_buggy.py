import numpy as np
import torch
from skorch import NeuralNetClassifier
from skorch.callbacks import EpochScoring
from torch import nn


class GatedMLP(nn.Module):
    def __init__(self, num_units=8, nonlin=nn.Sigmoid()):
        super().__init__()
        self.dense0 = nn.Linear(6, num_units)
        self.gate = nn.Linear(num_units, num_units)
        self.nonlin = nonlin
        self.output = nn.Linear(num_units, 2)

    def forward(self, X, **kwargs):
        X = self.nonlin(self.dense0(X))
        X *= self.gate(X)  # here
        return torch.softmax(self.output(X), dim=-1)


X = np.random.randn(16, 6).astype(np.float32)
y = np.random.randint(0, 2, 16).astype(np.int64)
net = NeuralNetClassifier(GatedMLP, max_epochs=2, lr=0.1, criterion=nn.NLLLoss, train_split=None, verbose=0)
net.fit(X, y)
