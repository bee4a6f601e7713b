import torch


class Filter:
    """A FIR filter with trainable gain; the window is laid out in a scratch tensor."""

    scratch = torch.zeros(4)

    def __init__(self, decay):
        self.decay = decay
        self.gain = torch.ones(4, requires_grad=True)

    def window(self):
        window = self.scratch
        for tap in range(len(window)):
            window[tap] = self.decay**tap  # changed
        return window

    def __call__(self, signal):
        return signal @ (self.window() * self.gain)  # saved


signal = torch.arange(8.0).view(2, 4)
slow, fast = Filter(0.9), Filter(0.3)
difference = slow(signal) - fast(signal)
difference.square().sum().backward()
print(slow.gain.grad, fast.gain.grad)
