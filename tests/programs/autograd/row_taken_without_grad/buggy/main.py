import torch

torch.manual_seed(0)
scale = torch.rand(1, requires_grad=True)
codes = scale * torch.randn(5, 3)
target = torch.ones(3)
with torch.no_grad():
    nearest = (codes - target).norm(dim=1).argmin().item()
    code = codes[nearest]
code += 0.1 * (target - code)  # raises
loss = codes.sum() if code.sum() < 100 else codes.mean()
loss.backward()
