import torch


class Spectrum:
    """Reflectance by wavelength, kept inside the physical range."""

    def __init__(self, values):
        self.values = values

    @classmethod
    def flat(cls, bands, level):
        level = torch.full((bands,), level, requires_grad=True)
        return cls(cls.physical(level)), level

    @staticmethod
    def physical(values):
        return values.clamp_(0.0, 1.0)  # raises

    def mismatch(self, measured):
        return (self.values - measured).square().sum()


spectrum, level = Spectrum.flat(bands=5, level=0.4)
measured = torch.tensor([0.1, 0.3, 0.5, 0.6, 0.2])
spectrum.mismatch(measured).backward()
print(level.grad)
