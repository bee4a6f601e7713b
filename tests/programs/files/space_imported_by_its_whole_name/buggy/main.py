"""Distances on a map, by modules of a package without a file of its own."""
import torch

import survey.metric
import survey.shift

torch.manual_seed(5)
points = torch.randn(10, 2, requires_grad=True)
distance = survey.metric.norm(points)
survey.shift.forward(distance)
distance.sum().backward()
