class Wake:
    """The wake of Jensen: a cone that widens linearly."""

    def __init__(self, decay):
        self.decay = decay

    def deficit(self, induction, distance, diameter):
        widening = (diameter / (diameter + 2 * self.decay * distance)) ** 2
        return 4.0 * induction * widening
