import torch

from . import settings


class Pool:
    """States of a cellular automaton, drawn and put back."""

    def __init__(self, states):
        self.states = list(states.unbind(0))

    def draw(self, step):
        index = [step % 2, 2 + step % 2]
        index[0] = 0
        return index, torch.stack([self.states[i] for i in index])

    def put(self, index, grown):
        if not settings.KEEP_GRAPH:
            grown = grown.detach()
        for i, state in zip(index, grown):
            self.states[i] = state
