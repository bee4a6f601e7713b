import torch


class Ratio:
    def __init__(self):
        self.hits, self.all = torch.zeros(()), torch.zeros(())

    def value(self):
        return round((self.hits / self.all.clamp(min=1)).item(), 2)

    def add(self, hits, base):
        self.hits += hits.sum()
        self.all += base.sum()


class Precision(Ratio):
    def update(self, said, voice):
        self.add(said & voice, said)


class Recall(Ratio):
    def update(self, said, voice):
        self.add(said & voice, voice)


class Metrics:
    def __init__(self, *parts, threshold=0.5):
        self.parts = parts
        self.threshold = threshold

    def reset(self):
        for part in self.parts:
            part.__init__()

    def update(self, logits, batch):
        chance = logits.detach().sigmoid_()  # changed
        said = (chance > self.threshold) & batch["valid"]
        for part in self.parts:
            part.update(said, batch["voice"] > 0)

    def compute(self):
        return {type(part).__name__: part.value() for part in self.parts}
