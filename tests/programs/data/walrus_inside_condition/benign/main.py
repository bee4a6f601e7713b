import torch


def loudness(amplitude):
    power = amplitude.abs() + 0.01
    if (peak := power.clamp(min=0.2)).max() > 1.0:
        level = torch.log10(power)
        peak[peak < 0.2] = 0.2
        return level.mean() + peak.mean()
    return power.mean()


amplitude = torch.tensor([0.1, -1.5, 0.6, 2.2], requires_grad=True)
loudness(amplitude).backward()
print(amplitude.grad)
