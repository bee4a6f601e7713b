"""Sizes of a bacterial colony from trainable division rates."""

import torch


def bursts(rates):
    return [rate.exp() for rate in rates]


def sizes(parts):
    return [torch.stack(parts[: i + 1]).sum(0) for i in range(len(parts))]


rates = torch.tensor([[0.1, 0.2], [0.3, 0.1], [0.2, 0.2]], requires_grad=True)
final = sizes(bursts(rates))[-1]
loss = final.log().sum() + rates.sum()
loss.backward()
print(rates.grad)
