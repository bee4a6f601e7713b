import numpy as np
import torch


def report(tensor):
    array = tensor.detach().numpy()
    np.clip(array, 0.0, 1.0, out=array)
    return array.round(2).tolist()


albedo = torch.tensor([0.2, 1.4, 0.9], requires_grad=True)
sunlight = torch.tensor([1.0, 2.0, 3.0])
absorbed = albedo.square() * sunlight + albedo
warming = absorbed.square().sum()  # saved
print(report(absorbed))
warming.backward()
