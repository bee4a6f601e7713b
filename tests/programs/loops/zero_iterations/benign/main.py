import torch

PLAN = {"warmup": 0, "steps": 3}

temperature = torch.tensor([5.0], requires_grad=True)
energies = torch.tensor([0.2, 0.9, 1.4])
for _ in range(PLAN["warmup"]):
    temperature *= 0.9
for _ in range(PLAN["steps"]):
    weights = torch.softmax(-energies / temperature, dim=0)
    entropy = -(weights * weights.log()).sum()
    entropy.backward()
    with torch.no_grad():
        temperature -= 0.1 * temperature.grad
    temperature.grad = None
