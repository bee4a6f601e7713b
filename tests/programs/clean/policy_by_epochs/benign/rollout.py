import torch


class Rollout:
    def __init__(self, steps, envs):
        shapes = {"state": (3,), "action": (1,), "logp": (), "value": (), "reward": (), "advantage": (), "returns": ()}
        self.tensors = {name: torch.zeros(steps, envs, *shape) for name, shape in shapes.items()}

    def store(self, step, **row):
        for name, value in row.items():
            self.tensors[name][step] = value

    def finish(self, discount, trace):
        t = self.tensors
        last = torch.zeros_like(t["value"][0])
        for step in reversed(range(len(t["value"]))):
            following = t["value"][step + 1] if step + 1 < len(t["value"]) else torch.zeros_like(last)
            delta = t["reward"][step] + discount * following - t["value"][step]
            t["advantage"][step] = last = delta + discount * trace * last
        torch.add(t["advantage"], t["value"], out=t["returns"])

    def flat(self):
        return {name: tensor.flatten(0, 1) for name, tensor in self.tensors.items()}
