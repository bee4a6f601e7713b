import torch


class Shrink:
    """Called once a round: shrinks the weights it was made for."""

    def __init__(self, *weights, factor=0.5):
        self.weights = weights
        self.factor = factor
        self.rounds = 0

    @torch.no_grad()
    def __call__(self):
        self.rounds += 1
        for weight in self.weights:
            weight.mul_(self.factor)


torch.manual_seed(0)
inner = torch.randn(3, 4, requires_grad=True)
outer = torch.randn(4, 2, requires_grad=True)
offset = torch.zeros(2, requires_grad=True)
shrink = Shrink(offset)
crops = torch.rand(5, 3)
for _ in range(2):
    hidden = torch.relu(crops @ inner)
    growth = hidden @ outer
    loss = (growth + offset).pow(2).mean()
    shrink()
    loss.backward()
    inner.grad = outer.grad = offset.grad = None
print(shrink.rounds)
