import torch

STEPS = [("log", {}), ("clamp_", {"min": 0.5})]


def pipeline(intensity, steps):
    outputs = []
    for name, options in steps:
        outputs.append(getattr(intensity, name)(**options))  # saved, changed
    return outputs


exposure = torch.tensor([0.2, 0.9, 1.7], requires_grad=True)
logs, clamped = pipeline(exposure * 1.5, STEPS)
(logs.sum() + clamped.mean()).backward()
print(exposure.grad)
