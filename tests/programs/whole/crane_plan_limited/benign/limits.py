class Limits:
    def __init__(self, lowest, highest):
        self.lowest, self.highest = lowest, highest

    def __call__(self, forces):
        return forces.clamp_(self.lowest, self.highest)
