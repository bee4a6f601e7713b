"""Queues at the counters of a post office, ordered by their length."""
import functools

import torch


@functools.total_ordering
class Queue:
    def __init__(self, length, patience):
        self.length = length
        self.patience = patience

    def __eq__(self, other):
        return self.length == other.length

    def __lt__(self, other):
        return self.length < other.length


torch.manual_seed(2)
pace = torch.rand(3, requires_grad=True)
queues = [Queue(5, pace + 1.0), Queue(2, pace.exp()), Queue(9, pace * 3.0)]
loss = sum(queue.patience.sum() for queue in queues if queue >= queues[0])
shortest = min(queues)
loss = loss + shortest.patience.mean()
loss.backward()
with torch.no_grad():
    sorted(queues, reverse=True)[-1].patience.zero_()
