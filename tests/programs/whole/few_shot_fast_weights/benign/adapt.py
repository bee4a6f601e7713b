import torch


def adapt(model, support, steps, rate):
    """Fast weights after a few steps on the support set."""
    fast = {name: p.detach().clone().requires_grad_() for name, p in model.named_parameters()}
    for _ in range(steps):
        loss = model.error(support, fast)
        slopes = torch.autograd.grad(loss, list(fast.values()))
        with torch.no_grad():
            for weight, slope in zip(fast.values(), slopes):
                weight -= rate * slope
    return fast
