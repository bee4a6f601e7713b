import random
from collections import deque

import torch


class Buffer:
    def __init__(self, capacity):
        self.rows = deque(maxlen=capacity)

    def push(self, prediction, reward):
        self.rows.append((prediction.detach(), reward))

    def sample(self, size):
        rows = random.sample(self.rows, min(size, len(self.rows)))
        predictions, rewards = zip(*rows)
        return torch.stack(predictions).squeeze(-1), torch.stack(rewards)
