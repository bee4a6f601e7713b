import torch


def loudest(signal, width):
    with torch.inference_mode():
        start = int(signal.abs().argmax().clamp(max=len(signal) - width))
    return signal[start : start + width]


source = torch.randn(32, requires_grad=True)
signal = source.cumsum(0)
window = loudest(signal, 8)
window *= torch.linspace(1, 0, 8)
signal.sum().backward()
