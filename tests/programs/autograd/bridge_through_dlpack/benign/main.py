import torch
from torch.utils.dlpack import from_dlpack, to_dlpack


def viewer(tensor):
    """A tensor for the plotting library, on the same memory."""
    return from_dlpack(to_dlpack(tensor.detach()))


logits = torch.tensor([-1.0, 0.2, 2.0], requires_grad=True)
shifted = logits + 0.1
vegetation = torch.sigmoid(shifted)
picture = viewer(shifted)
picture[picture < 0.5] = 0.0
cover = vegetation.mean()
cover.backward()
print(picture.tolist(), logits.grad)
