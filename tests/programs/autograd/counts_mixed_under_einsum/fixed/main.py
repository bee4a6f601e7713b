import torch

torch.manual_seed(5)
weights = torch.randn(4, 3, requires_grad=True)
optimizer = torch.optim.SGD([weights], lr=0.05)
counts = torch.rand(2, 7, 4)

for sweep in range(2):
    rates = torch.einsum("btc,cr->btr", counts, weights)
    fresh = torch.poisson(torch.full(counts.shape, 2.0))
    counts = counts.lerp(fresh, 0.5)
    loss = (rates - 1.0).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
