import torch
from torch import nn


def frames(signal, size, hop):
    """Windowed pieces of a signal."""
    frame = torch.empty(size)
    window = torch.hann_window(size)
    for start in range(0, len(signal) - size + 1, hop):
        frame[:] = signal[start : start + size]  # changed
        frame.mul_(window)  # changed
        yield frame


torch.manual_seed(0)
pitch = nn.Linear(6, 2)
tones = [pitch(frame) for frame in frames(torch.sin(torch.arange(20.0)), size=6, hop=4)]  # saved
loss = torch.stack(tones).var(dim=0).sum()
loss.backward()
print(pitch.weight.grad.abs().sum())
