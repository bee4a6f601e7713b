import torch


class Scanner:
    """Sums along rows and columns."""

    def __init__(self, size):
        self.size = size

    def project(self, image):
        return torch.cat([image.sum(dim=1), image.sum(dim=2)], dim=-1)

    def spread(self, rays):
        """The adjoint of `project`."""
        columns, rows = rays[:, : self.size], rays[:, self.size :]
        return columns.unsqueeze(1) + rows.unsqueeze(2)
