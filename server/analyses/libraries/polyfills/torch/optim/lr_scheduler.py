"""Learning-rate schedules: they change numbers in the optimizer's groups, and no tensor."""

from gradguard import unknown


class LRScheduler:
    def __init__(self, optimizer, *args, **kwargs):
        self.optimizer = optimizer
        self.last_epoch = unknown("an epoch", number=True)
        for group in optimizer.param_groups:
            group.setdefault("initial_lr", group["lr"])
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self._set_rates()

    def step(self, *args, **kwargs):
        self._set_rates()

    def get_lr(self):
        return [unknown("a learning rate", number=True) for _ in self.base_lrs]

    def get_last_lr(self):
        return self.get_lr()

    def state_dict(self):
        return unknown("a state")

    def load_state_dict(self, state_dict):
        self._set_rates()

    def _set_rates(self):
        for group in self.optimizer.param_groups:
            group["lr"] = unknown("a learning rate", number=True)


class _LRScheduler(LRScheduler):
    pass


class ChainedScheduler(LRScheduler):
    def __init__(self, schedulers, optimizer=None):
        super().__init__(optimizer or schedulers[0].optimizer)


class ConstantLR(LRScheduler):
    pass


class CosineAnnealingLR(LRScheduler):
    pass


class CosineAnnealingWarmRestarts(LRScheduler):
    pass


class CyclicLR(LRScheduler):
    pass


class ExponentialLR(LRScheduler):
    pass


class LambdaLR(LRScheduler):
    pass


class LinearLR(LRScheduler):
    pass


class MultiStepLR(LRScheduler):
    pass


class MultiplicativeLR(LRScheduler):
    pass


class OneCycleLR(LRScheduler):
    pass


class PolynomialLR(LRScheduler):
    pass


class ReduceLROnPlateau(LRScheduler):
    pass


class SequentialLR(LRScheduler):
    pass


class StepLR(LRScheduler):
    pass
