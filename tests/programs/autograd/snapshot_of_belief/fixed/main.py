
import torch


class Particles:
    def __init__(self, count):
        self.logits = torch.zeros(count, requires_grad=True)
        self.positions = torch.linspace(-1, 1, count)
        self.weights = self.logits.softmax(0)

    def snapshot(self):
        twin = Particles(len(self.positions))
        twin.weights = self.weights.detach().clone()
        return twin

    def mean(self):
        return (self.weights * self.positions).sum()


particles = Particles(4)
before = particles.snapshot()
loss = (particles.mean() - 0.3).square()
loss.backward()
print(before.mean().item(), particles.logits.grad)
