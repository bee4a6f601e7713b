import torch


def adapt(model, support, steps, rate):
    """Fast weights after a few steps on the support set."""
    fast = {name: p.clone() for name, p in model.named_parameters()}
    for _ in range(steps):
        loss = model.error(support, fast)
        slopes = torch.autograd.grad(loss, list(fast.values()), create_graph=True)
        for (name, weight), slope in zip(fast.items(), slopes):
            fast[name] = weight - rate * slope
    return fast
