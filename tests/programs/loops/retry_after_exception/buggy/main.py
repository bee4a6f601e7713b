import torch


def solve(covariance, target):
    if torch.linalg.det(covariance.detach()) < 1e-3:
        raise ValueError("nearly singular")
    return torch.linalg.solve(covariance, target)


amplitude = torch.tensor(0.5, requires_grad=True)
sites = torch.tensor([0.0, 0.001, 2.0])
covariance = amplitude * torch.exp(-((sites[:, None] - sites) ** 2))
target = torch.tensor([1.0, 1.0, 0.2])
prior = covariance.square().sum()  # saved
for _ in range(3):
    try:
        answer = solve(covariance, target)
    except ValueError:
        covariance.diagonal().add_(0.1)  # changed
        continue
    break
loss = prior + answer.square().sum()
loss.backward()
print(amplitude.grad)
