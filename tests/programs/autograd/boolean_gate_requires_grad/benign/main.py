"""Which sensors of a greenhouse are worth reading? A gate per sensor, pushed towards zero."""
import torch


def make_gate(readings, threshold):
    useful = readings > threshold
    return torch.ones_like(useful, dtype=torch.float32, requires_grad=True)


def objective(gate, readings, target, price=0.1):
    estimate = (gate * readings).mean()
    return (estimate - target).square() + price * gate.abs().sum()


readings = torch.tensor([0.3, 1.2, 0.7])
gate = make_gate(readings, threshold=0.5)
loss = objective(gate, readings, target=0.6)
loss.backward()
print(gate.grad)
