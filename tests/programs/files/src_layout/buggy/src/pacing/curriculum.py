import torch


class Curriculum:
    def __init__(self, levels):
        self.weight = torch.ones(levels)

    def weigh(self, losses):
        return (losses * self.weight).sum()  # saved

    def advance(self):
        self.weight *= 0.9  # changed
