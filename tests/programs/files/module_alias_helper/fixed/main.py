import torch

import geometry.frames as gf


def centred(points):
    moved = points.clone()
    return gf.to_centre(moved)


def saliency(points, readout):
    points = points.detach().requires_grad_()
    local = gf.to_centre(points.clone())
    readout(local).sum().backward()
    return points.grad


cloud = torch.tensor([[0.0, 1.0], [2.0, 3.0], [4.0, 1.0]])
print(centred(cloud).mean(0))
print(saliency(cloud, lambda p: p.norm(dim=-1)))
