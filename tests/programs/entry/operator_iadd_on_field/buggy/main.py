"""Vector fields on a grid with an algebra of their own."""
import torch


class Field:
    def __init__(self, values):
        self.values = values

    def __add__(self, other):
        return Field(self.values + other.values)

    def __iadd__(self, other):
        self.values += other.values  # changed
        return self

    def __mul__(self, other):
        if isinstance(other, Field):
            return Field(self.values * other.values)  # saved
        return Field(self.values * other)

    def total(self):
        return self.values.sum()


conductivity = torch.full((4, 4), 0.5, requires_grad=True)
heat = Field(conductivity.exp() - 1)
flux = heat * Field(conductivity)
heat += Field(torch.ones(4, 4))
loss = flux.total() + heat.total()
loss.backward()
print(conductivity.grad)
