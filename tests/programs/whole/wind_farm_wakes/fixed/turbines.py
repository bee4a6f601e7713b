from dataclasses import dataclass

import torch


@dataclass
class Turbine:
    place: float
    diameter: float
    rated: float = 3.0e6

    @property
    def area(self):
        return 3.1416 * self.diameter**2 / 4

    def power(self, speed, yaw):
        """Power of the misaligned rotor, in megawatts."""
        return 0.5 * 1.2e-6 * self.area * 0.45 * speed**3 * torch.cos(yaw) ** 2

    def induction(self, yaw):
        return 1 - torch.sqrt(1 - 0.8 * torch.cos(yaw))
