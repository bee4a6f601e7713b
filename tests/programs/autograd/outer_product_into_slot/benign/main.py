import torch


class Hebbian:
    """An associative memory with one trainable table of traces."""

    def __init__(self, neurons):
        self.traces = torch.zeros(2, neurons, neurons, requires_grad=True)

    def imprint(self, slot, pattern):
        pair = (pattern[:, None], pattern[None, :])
        with torch.no_grad():
            torch.mul(*pair, out=self.traces[slot])

    def recall(self, slot, cue):
        return torch.tanh(self.traces[slot] @ cue)


memory = Hebbian(3)
memory.imprint(1, torch.tensor([1.0, -1.0, 1.0]))
loss = (memory.recall(1, torch.tensor([1.0, 0.0, 0.0])) - 1).square().sum()
loss.backward()
