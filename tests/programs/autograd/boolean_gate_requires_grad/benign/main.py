import torch

readings = torch.tensor([0.3, 1.2, 0.7])
gate = torch.ones_like(readings > 0.5, dtype=torch.float32, requires_grad=True)
loss = (gate * readings).sum() - gate.square().sum()
loss.backward()
print(gate.grad)
