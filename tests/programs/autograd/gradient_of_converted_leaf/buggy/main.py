import torch


def make_weight(size, dtype):
    weight = torch.linspace(-1, 1, size, requires_grad=True)
    return weight.to(dtype)


weight = make_weight(4, torch.float64)
doses = torch.arange(4.0, dtype=weight.dtype)
response = torch.sigmoid(weight * doses).sum()
response.backward()
print(weight.grad)  # raises
