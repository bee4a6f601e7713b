import torch


class Glacier:
    def __init__(self, friction, thickness, dt=0.05):
        self.friction = friction
        self.thickness = thickness
        self.dt = dt
        self.discharge = torch.zeros(())

    def flux(self, thickness):
        return thickness.pow(3) / self.friction  # saved

    def run(self, steps):
        for _ in range(steps):
            self.thickness = self.step(self.thickness)

    def step(self, thickness):
        snow = 0.02 * torch.ones_like(thickness)
        ahead = thickness + self.dt * (snow / self.friction)
        q = self.flux(ahead)
        self.discharge = self.discharge + q[-1]
        current = ahead
        if current.min() < 1.0:
            current.relu_()  # changed
        inflow = torch.cat([torch.zeros(1), q[:-1]])
        return current + self.dt * (inflow - q)
