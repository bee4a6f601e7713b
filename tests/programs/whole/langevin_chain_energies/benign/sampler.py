import torch


class Chain:
    def __init__(self, start, step=0.1):
        self.place = start.requires_grad_()
        self.step = step

    def run(self, energy, steps):
        seen = []
        for _ in range(steps):
            value = energy(self.place)
            (slope,) = torch.autograd.grad(value.sum(), self.place, retain_graph=True)
            seen.append(value.mean().detach())
            noise = torch.randn_like(slope).mul_(self.step**0.5)
            self.place.data.add_(noise - self.step * slope)
        return seen
