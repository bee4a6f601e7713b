import torch



def prune(weights, rounds, keep):
    mask = torch.ones_like(weights, dtype=torch.bool)
    losses = []
    for _ in range(rounds):
        alive = weights * mask.float()
        losses.append(alive.abs().sum())
        threshold = alive.detach().abs().quantile(1 - keep)
        mask[alive.detach().abs() < threshold] = 0
    return losses


torch.manual_seed(0)
weights = torch.randn(12, requires_grad=True)
losses = prune(weights, rounds=3, keep=0.8)
torch.stack(losses).sum().backward()
print(weights.grad)
