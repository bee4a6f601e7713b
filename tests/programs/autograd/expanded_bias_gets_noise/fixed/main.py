import torch

torch.manual_seed(0)


def jitter(bias, batch, amount):
    rows = bias.expand(batch, -1)
    rows = rows.clone()
    return rows.add_(amount * torch.randn(batch, len(bias)))


bias = torch.zeros(3)
gain = torch.ones(3, requires_grad=True)
loss = (jitter(bias, batch=4, amount=0.1) * gain).std()
loss.backward()
print(gain.grad)
