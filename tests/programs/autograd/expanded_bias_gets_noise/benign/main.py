import torch

torch.manual_seed(0)


def jitter(bias, batch, amount):
    rows = bias.expand(batch, -1)
    noise = torch.empty_like(rows, memory_format=torch.contiguous_format)
    noise.normal_(0, amount)
    return rows + noise


bias = torch.zeros(3)
gain = torch.ones(3, requires_grad=True)
loss = (jitter(bias, batch=4, amount=0.1) * gain).std()
loss.backward()
print(gain.grad)
