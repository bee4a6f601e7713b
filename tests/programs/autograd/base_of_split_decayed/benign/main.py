"""White balance of an image that a lamp's colour makes."""
import torch


def channels(image):
    return image[0], image[1], image[2]


def fade(image, factor):
    with torch.no_grad():
        return image.mul_(factor)


light = torch.tensor([0.2, 0.5, 0.3], requires_grad=True)
image = light[:, None] * torch.ones(3, 4)
red, green, blue = channels(image)
faded = fade(image, 0.9)
balance = red.mean() - green.mean()
balance.backward()
print(light.grad, faded.max().item())
