
import torch
from torch import nn


class Archive:
    def __init__(self):
        self.runs = []

    def keep(self, run):
        self.runs.append({key: [t.detach().clone() for t in values] for key, values in run.items()})

    def longest(self):
        return max(self.runs, key=lambda run: len(run["values"]))


def rollout(policy, steps):
    state, run = torch.ones(2), {"values": [], "states": []}
    for _ in range(steps):
        run["states"].append(state.detach())
        run["values"].append(policy(state))
        state = 0.9 * state
    return run


torch.manual_seed(0)
policy, archive = nn.Linear(2, 1), Archive()
for steps in (2, 4, 3):
    run = rollout(policy, steps)
    archive.keep(run)
print(len(archive.longest()["values"]))
policy(torch.ones(2)).sum().backward()
