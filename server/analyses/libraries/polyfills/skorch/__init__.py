"""skorch 1.x: nets that are fitted to arrays, with the loss that `get_loss` returns (`skorch/net.py`)."""

import torch
from gradguard import data
from torch import nn
from torch.utils.data import DataLoader


class NeuralNet:
    __entries__ = ("get_loss", "train_step_single", "train_step")

    def __init__(
        self, module, criterion=None, optimizer=torch.optim.SGD, lr=0.01, max_epochs=10, callbacks=None, **kwargs
    ):
        self.module = module
        self.criterion = criterion
        self.optimizer = optimizer
        self.lr = lr
        self.max_epochs = max_epochs
        for name, value in kwargs.items():
            setattr(self, name, value)

    def __train__(self, names):
        """Train with an unknown network: how the net is used if the program doesn't show it."""
        self.module_ = nn.Linear(1, 1)
        self.criterion_ = nn.MSELoss()
        self.optimizer_ = torch.optim.SGD(self.module_.parameters(), lr=0.01)
        for _ in range(2):
            self.train_step((torch.randn(2, 1), data("y")))

    def initialize(self):
        module = self.module
        self.module_ = module() if isinstance(module, type) else module
        self.criterion_ = self.criterion() if isinstance(self.criterion, type) else self.criterion
        self.optimizer_ = self.optimizer(self.module_.parameters(), lr=self.lr)
        return self

    def fit(self, X, y=None, **fit_params):
        self.initialize()
        return self.partial_fit(X, y)

    def partial_fit(self, X, y=None, classes=None, **fit_params):
        for _ in range(self.max_epochs):
            self.train_step((X, y))
        return self

    def train_step(self, batch, **fit_params):
        def step_fn():
            self.optimizer_.zero_grad()
            step = self.train_step_single(batch)
            return step["loss"]

        self.optimizer_.step(step_fn)

    def train_step_single(self, batch, **fit_params):
        self.module_.train()
        Xi, yi = batch
        y_pred = self.infer(Xi)
        loss = self.get_loss(y_pred, yi, X=Xi, training=True)
        loss.backward()
        return {"loss": loss, "y_pred": y_pred}

    def infer(self, x, **fit_params):
        return self.module_(x)

    def get_loss(self, y_pred, y_true, X=None, training=False):
        return self.criterion_(y_pred, y_true)

    def predict_proba(self, X):
        self.module_.eval()
        with torch.no_grad():
            return self.infer(X)

    def predict(self, X):
        return self.predict_proba(X)


class NeuralNetClassifier(NeuralNet):
    pass


class NeuralNetBinaryClassifier(NeuralNet):
    pass


class NeuralNetRegressor(NeuralNet):
    pass
