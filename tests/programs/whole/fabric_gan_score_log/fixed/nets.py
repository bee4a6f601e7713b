from torch import nn


def make_generator(code, size):
    return nn.Sequential(
        nn.Linear(code, 8),
        nn.ReLU(inplace=True),
        nn.Linear(8, size * size),
        nn.Sigmoid(),
        nn.Unflatten(1, (1, size, size)),
    )


def make_critic(size):
    return nn.Sequential(
        nn.Conv2d(1, 3, 3),
        nn.LeakyReLU(0.2, inplace=True),
        nn.Flatten(),
        nn.Linear(3 * (size - 2) ** 2, 1),
    )
