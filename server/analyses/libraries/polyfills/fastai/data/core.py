"""Data loaders: the first is for training, the second for validation."""


class DataLoaders:
    def __init__(self, *loaders, path=".", device=None):
        self.loaders = list(loaders)

    def __getitem__(self, i):
        return self.loaders[i]

    @property
    def train(self):
        return self.loaders[0]

    @property
    def valid(self):
        return self.loaders[1]
