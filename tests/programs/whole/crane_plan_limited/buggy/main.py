"""Model-predictive control of a crane: forces over a horizon, by gradient descent on the plan."""
import torch

from limits import Limits
from planner import Planner


class Crane:
    """Position and speed of the trolley, without the load's swing."""

    def __init__(self, mass=2.0, dt=0.2):
        self.mass, self.dt = mass, dt
        self.place, self.speed = torch.zeros(()), torch.zeros(())

    def simulate(self, forces):
        place, speed = self.place, self.speed
        for force in forces.unbind():
            speed = speed + self.dt * force / self.mass
            place = place + self.dt * speed
        return place, speed

    def apply(self, force):
        self.speed = self.speed + self.dt * force / self.mass
        self.place = self.place + self.dt * self.speed


def cost(crane, forces, goal):
    place, speed = crane.simulate(forces)
    return (place - goal).square() + 0.1 * speed.square() + 1e-3 * forces.square().sum()


def main():
    crane, limits = Crane(), Limits(lowest=-3.0, highest=3.0)
    planner = Planner(horizon=5, limits=limits, rate=0.5)
    for _ in range(3):
        force = planner.plan(lambda forces: cost(crane, forces, goal=1.0), rounds=3)
        crane.apply(force)
        planner.shift()
        print(round(crane.place.item(), 4))


if __name__ == "__main__":
    main()
