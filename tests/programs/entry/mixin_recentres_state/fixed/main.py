import torch

from fields import Recentred


class String(Recentred):
    """A plucked string: its shape is advanced by a learned stiffness."""

    def __init__(self, points=8):
        self.stiffness = torch.tensor(0.3, requires_grad=True)
        self.state = torch.sin(torch.linspace(0, 3.14, points))
        self.energies = []

    def advance(self):
        pull = self.state.roll(1) + self.state.roll(-1) - 2 * self.state.detach()
        self.state = self.state.detach() + self.stiffness * pull
        self.energies.append(self.energy())
        self.recentre()

    def energy(self):
        return self.state.square().sum()


string = String()
for _ in range(3):
    string.advance()
total = torch.stack(string.energies).mean()
total.backward()
print(string.stiffness.grad)
