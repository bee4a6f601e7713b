import torch

parameters = {"slope": torch.tensor(0.5, requires_grad=True), "offset": torch.tensor(0.0, requires_grad=True)}
hours = torch.tensor([1.0, 2.0, 5.0])
marks = torch.tensor([2.1, 3.9, 10.2])


def step(parameters, rate):
    for name, value in parameters.items():
        gradient = value.grad
        if gradient is not None:
            updated = (value - rate * gradient).detach().requires_grad_()
            parameters[name] = updated


for _ in range(3):
    guess = parameters["slope"] * hours + parameters["offset"]
    loss = (guess - marks).square().mean()
    loss.backward()
    step(parameters, rate=0.01)
print(parameters)
