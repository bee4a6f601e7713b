import torch

import world


class Agent:
    def __init__(self, cells):
        self.prior = torch.zeros(cells, requires_grad=True)

    def act(self, place: "world.World"):
        belief = self.prior.softmax(0)  # saved
        seen = place.observe(belief)
        return (belief - seen).abs().sum()


def sharpen(belief, cell, amount=0.05):
    belief[cell] += amount  # changed
    return belief
