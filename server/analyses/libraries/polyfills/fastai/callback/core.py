"""Callbacks: an attribute that a callback doesn't have is the learner's (`fastai/callback/core.py`)."""


class Callback:
    order = 0
    learn = None

    def __init__(self, **kwargs):
        for name, value in kwargs.items():
            setattr(self, name, value)

    def __getattr__(self, name):
        return getattr(self.learn, name)


class TrainEvalCallback(Callback):
    order = -10


class CancelBatchException(Exception):
    pass


class CancelBackwardException(Exception):
    pass


class CancelStepException(Exception):
    pass


class CancelTrainException(Exception):
    pass


class CancelValidException(Exception):
    pass


class CancelEpochException(Exception):
    pass


class CancelFitException(Exception):
    pass
