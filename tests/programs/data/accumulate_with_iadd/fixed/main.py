
import torch

rates = torch.tensor([[0.1, 0.2], [0.3, 0.1], [0.2, 0.2]], requires_grad=True)
bursts = [rate.exp() for rate in rates]
sizes = [torch.stack(bursts[: i + 1]).sum(0) for i in range(len(bursts))]
loss = sizes[-1].log().sum() + rates.sum()
loss.backward()
print(rates.grad)
