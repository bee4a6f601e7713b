class Loss:
    registry = {}

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        cls.registry[cls.__name__.lower()] = cls

    @classmethod
    def named(cls, name):
        return cls.registry[name]

    def __call__(self, residual):
        return self.reduce(residual).mean()


class Trimmed(Loss):
    limit = 1.5

    def reduce(self, residual):
        far = residual.detach().abs() > self.limit
        return residual.masked_fill(far, 0.0).abs()


class Huber(Loss):
    def reduce(self, residual):
        size = residual.abs()
        return size.where(size < 1, size.square())
