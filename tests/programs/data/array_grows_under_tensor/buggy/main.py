import numpy as np
import torch


class Cart:
    def __init__(self):
        self.state = np.zeros(2, dtype=np.float32)

    def push(self, force):
        self.state += np.array([0.1, force], dtype=np.float32)
        return self.state


def as_tensor(state):
    return torch.from_numpy(state)


cart, weights = Cart(), torch.tensor([0.5, -0.3], requires_grad=True)
total = torch.zeros(())
for _ in range(3):
    state = as_tensor(cart.push(0.4))
    total = total + torch.dot(weights, state)  # saved
total.backward()
print(weights.grad)
