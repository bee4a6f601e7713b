"""Yaw angles for a row of turbines, by gradient ascent on the farm's power."""
import torch

from turbines import Turbine
from wakes import Wake

SITE = {"wind": 9.0, "spacing": 500.0, "count": 4}


class Farm:
    def __init__(self, wind, spacing, count):
        self.turbines = [Turbine(place=i * spacing, diameter=120.0) for i in range(count)]
        self.yaw = torch.full((count,), 0.1, requires_grad=True)
        self.wake = Wake(decay=0.05)
        self.wind = wind

    def downwind(self, i):
        for j in range(i + 1, len(self.turbines)):
            yield j, self.turbines[j].place - self.turbines[i].place

    def power(self):
        speed = torch.full((len(self.turbines),), self.wind)
        total = torch.zeros(())
        for i, turbine in enumerate(self.turbines):
            local = speed[i]
            yaw = self.yaw[i]
            total = total + turbine.power(local, yaw)
            loss = turbine.induction(yaw)
            losses = [torch.zeros(()) for _ in self.turbines]
            for j, distance in self.downwind(i):
                losses[j] = self.wake.deficit(loss, distance, turbine.diameter)
            speed = speed - torch.stack(losses)
        return total


def optimise(farm, rounds=2, rate=0.02):
    history = []
    for _ in range(rounds):
        power = farm.power()
        power.backward()
        with torch.no_grad():
            farm.yaw += rate * farm.yaw.grad / farm.yaw.grad.norm()
            farm.yaw.grad = None
        history.append(power.item())
    return history


if __name__ == "__main__":
    print(optimise(Farm(**SITE)))
