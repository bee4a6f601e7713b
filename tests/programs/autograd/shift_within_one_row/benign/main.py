import torch


class Delay:
    def __init__(self, taps):
        self.line = torch.zeros(taps)
        self.taps = torch.ones(taps, requires_grad=True)

    def push(self, sample):
        self.line[1:] = self.line.roll(1)[1:]
        self.line[0] = sample

    def read(self):
        return self.taps.dot(self.line.clone())


delay, total = Delay(4), 0.0
for sample in (0.3, -0.1, 0.8):
    delay.push(sample)
    total = total + delay.read()
total.backward()
print(delay.taps.grad)
