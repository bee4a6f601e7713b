import torch
from torch import nn


class Learner:
    """TD(lambda) with hand-made eligibility traces."""

    def __init__(self, inputs, hidden, rate=0.1, discount=0.9, trace=0.7, recompute=False):
        self.net = nn.Sequential(nn.Linear(inputs, hidden), nn.Tanh(), nn.Linear(hidden, 1), nn.Sigmoid())
        self.rate, self.discount, self.trace = rate, discount, trace
        self.recompute = recompute
        self.traces = [torch.zeros_like(p) for p in self.net.parameters()]
        self.state = self.value = None

    def begin(self, state):
        self.state = state
        self.value = self.net(state)
        for trace in self.traces:
            trace.zero_()

    def observe(self, state, reward):
        if self.recompute:
            self.value = self.net(self.state)
        following = self.net(state)  # saved
        error = (reward + self.discount * following - self.value).item()
        self.net.zero_grad()
        self.value.backward()
        self._learn(error)
        self.state, self.value = state, following
        return error

    @torch.no_grad()
    def _learn(self, error):
        for parameter, trace in zip(self.net.parameters(), self.traces):
            trace.mul_(self.discount * self.trace).add_(parameter.grad)
            parameter.add_(trace, alpha=self.rate * error)  # changed
