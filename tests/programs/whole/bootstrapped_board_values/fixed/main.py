"""Temporal differences on a tiny board game."""
import random

import torch

from learner import Learner


def features(position):
    x = torch.zeros(6)
    x[position % 6] = 1.0
    return x


def play(learner, moves, rng):
    position = 0
    learner.begin(features(position))
    for _ in range(moves):
        position += rng.choice([1, 2])
        won = float(position % 6 == 5)
        error = learner.observe(features(position), reward=won)
    return error


def main():
    rng = random.Random(4)
    torch.manual_seed(4)
    learner = Learner(inputs=6, hidden=4)
    errors = [play(learner, moves=3, rng=rng) for _ in range(2)]
    print(["%.3f" % error for error in errors])


main()
