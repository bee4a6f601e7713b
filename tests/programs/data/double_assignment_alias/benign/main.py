import torch
import torch.nn.functional as F

heat = torch.tensor([0.1, 0.4, 0.2], requires_grad=True)
best = current = F.softplus(heat)
history = []
for step in range(3):
    history.append(current.mean())
    current += 0.1
    best = torch.maximum(best.detach(), current.detach())
loss = torch.stack(history).sum() + current.max()
loss.backward()
print(best, heat.grad)
