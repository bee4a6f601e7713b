import torch

light = torch.tensor([0.2, 0.5, 0.3], requires_grad=True)
image = light[:, None] * torch.ones(3, 4)
red, green, blue = image[0], image[1], image[2]
with torch.no_grad():
    image.mul_(0.9)
balance = red.mean() - green.mean()
balance.backward()
print(light.grad)
