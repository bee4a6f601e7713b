import torch

torch.manual_seed(0)
weights = [torch.randn(3, requires_grad=True) for _ in range(2)]
scores = [w * 2.0 for w in weights]
gates = [torch.sigmoid(s) for s in scores]


def damp(tensors, factor):
    return torch._foreach_mul(tensors, factor)


damped = damp(gates, 0.5)
loss = sum(g.sum() for g in damped) + sum(g.sum() for g in gates)
loss.backward()
print(weights[0].grad)
