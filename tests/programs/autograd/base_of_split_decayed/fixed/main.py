import torch

light = torch.tensor([0.2, 0.5, 0.3], requires_grad=True)
image = light[:, None] * torch.ones(3, 4)
red, green, blue = image.unbind(0)
with torch.no_grad():
    faded = image.mul(0.9)
balance = red.mean() - green.mean()
balance.backward()
print(light.grad)
