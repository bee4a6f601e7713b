import torch


def split(pair):
    (left, (middle, right)), scale = pair
    return (middle, right), left * scale


base = torch.tensor([1.0, -2.0], requires_grad=True)
low, high = base * 0.5, base * 3.0
energy = low.square().sum() + high.sum()
(first, second), third = split(((base, (low, high)), 2.0))
if second.numel() == 2:
    second.neg_()
loss = energy + second.sum() + third.sum()
loss.backward()
print(base.grad)
