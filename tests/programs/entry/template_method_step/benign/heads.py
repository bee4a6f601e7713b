"""Classification heads: subclasses say what happens around the softmax."""
from abc import abstractmethod

from torch import nn


class Head(nn.Module):
    def __init__(self, features, classes, temperature):
        super().__init__()
        self.linear = nn.Linear(features, classes)
        self.temperature = temperature

    def preprocess(self, logits):
        return logits

    @abstractmethod
    def postprocess(self, probabilities): ...

    def forward(self, features):
        logits = self.preprocess(self.linear(features))
        return self.postprocess(logits.softmax(dim=-1))


class HeadWithTemperature(Head):
    def postprocess(self, probabilities):
        return probabilities * self.temperature


class HeadWithLogits(Head):
    def preprocess(self, logits):
        logits /= self.temperature
        return logits

    def postprocess(self, probabilities):
        return probabilities
