import torch


class Planner:
    def __init__(self, horizon, limits, rate):
        self.limits, self.rate = limits, rate
        self.forces = torch.zeros(horizon, requires_grad=True)

    def plan(self, cost, rounds):
        for _ in range(rounds):
            loss = cost(self.forces)
            (slope,) = torch.autograd.grad(loss, self.forces)
            with torch.no_grad():
                self.forces -= self.rate * slope
        return self.limits(self.forces)[0].item()

    def shift(self):
        later = torch.cat([self.forces.detach()[1:], torch.zeros(1)])
        self.forces = later.requires_grad_()
