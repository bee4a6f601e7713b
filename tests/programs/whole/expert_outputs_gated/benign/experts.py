from torch import nn

REGISTRY = {}


def expert(name):
    def register(make):
        REGISTRY[name] = make
        return make

    return register


@expert("plain")
def plain(letters, width):
    return nn.Sequential(nn.Linear(letters, width), nn.ReLU(inplace=True), nn.Linear(width, width))


@expert("bounded")
def bounded(letters, width):
    return nn.Sequential(plain(letters, width), nn.Tanh())
