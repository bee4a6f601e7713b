import torch

scratch = torch.zeros(3)
weights = torch.ones(3, requires_grad=True)


def morning(counts):
    global scratch
    scratch += torch.as_tensor(counts)
    return (scratch * weights).sum()


def evening(counts):
    global scratch
    scratch = torch.zeros(3)
    scratch += 0.5 * torch.as_tensor(counts)
    return scratch.mean()


visitors = morning([4.0, 1.0, 2.0])
baseline = evening([3.0, 2.0, 2.0])
loss = (visitors - baseline) ** 2
loss.backward()
print(weights.grad)
