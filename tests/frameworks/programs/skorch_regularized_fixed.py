import numpy as np
import torch
from skorch import NeuralNetRegressor
from torch import nn


class Penalized(NeuralNetRegressor):
    """Pulls the weights of the first layer to zero, and counts what is left."""

    def __init__(self, *args, lambda1=0.01, **kwargs):
        super().__init__(*args, **kwargs)
        self.lambda1 = lambda1

    def get_loss(self, y_pred, y_true, X=None, training=False):
        loss = super().get_loss(y_pred, y_true, X=X, training=training)
        weight = self.module_[0].weight
        size = weight.pow(2).sum().sqrt()
        size = size - 1.0
        return loss + self.lambda1 * size.square()


X = np.random.randn(16, 6).astype(np.float32)
y = np.random.randn(16, 1).astype(np.float32)
net = Penalized(nn.Sequential(nn.Linear(6, 4), nn.ReLU(), nn.Linear(4, 1)), max_epochs=2, lr=0.01, train_split=None, verbose=0)
net.fit(X, y)
