"""Vector quantisation: the winning code is pulled towards its target."""
import torch


def nearest(codes, target):
    with torch.no_grad():
        winner = (codes - target).norm(dim=1).argmin().item()
        return codes[winner]


torch.manual_seed(0)
scale = torch.rand(1, requires_grad=True)
codes = scale * torch.randn(5, 3)
target = torch.ones(3)
code = nearest(codes, target)
code = code + 0.1 * (target - code)
loss = codes.sum() if code.sum() < 100 else codes.mean()
loss.backward()
