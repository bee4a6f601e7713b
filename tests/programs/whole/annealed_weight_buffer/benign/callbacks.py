from collections import defaultdict


class Callbacks:
    def __init__(self, entries):
        self.by_event = defaultdict(list)
        for event, callback in entries:
            self.by_event[event].append(callback)

    def fire(self, event, **context):
        for callback in self.by_event[event]:
            callback(**context)


class Annealer:
    """Raises the weight of the KL term up to one."""

    def __init__(self, step):
        self.step = step

    def __call__(self, model, step):
        model.beta.add_(self.step).clamp_(max=1.0)
