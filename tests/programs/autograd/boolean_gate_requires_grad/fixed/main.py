import torch

readings = torch.tensor([0.3, 1.2, 0.7])
gate = torch.ones_like(readings, requires_grad=True)
loss = (gate * readings).sum() - gate.square().sum()
loss.backward()
print(gate.grad)
