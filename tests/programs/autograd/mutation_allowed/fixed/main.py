import torch


def synthesise(pitch, steps):
    phase, wave = pitch * 0.1, []
    for _ in range(steps):
        wave.append(torch.sin(phase))
        phase = phase + 0.3
    return torch.stack(wave)


pitch = torch.tensor([1.0, 1.5], requires_grad=True)
synthesise(pitch, steps=3).square().sum().backward()
print(pitch.grad)
