import torch


class Quench(torch.autograd.Function):
    @staticmethod
    def forward(ctx, spins, floor):
        spins.data.clamp_(min=floor)  # changed
        return spins.sum()

    @staticmethod
    def backward(ctx, grad):
        return grad.expand(4), None


coupling = torch.tensor([0.5, -1.0, 2.0, -0.3], requires_grad=True)
spins = coupling * 2
energy = (spins * spins.roll(1)).sum()  # saved
total = energy + Quench.apply(spins, -0.5)
total.backward()
print(coupling.grad)
