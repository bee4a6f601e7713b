import torch

from acoustics import compress, loudness

torch.manual_seed(0)
gain = torch.rand(8, requires_grad=True)
wave = gain * torch.sin(torch.arange(8.0))
level = loudness(wave)
quiet = compress(wave, ratio=0.5)
loss = level + quiet.abs().mean()
loss.backward()
print(gain.grad)
