import torch
from e3nn import o3
from e3nn.math import soft_one_hot_linspace
from e3nn.nn import FullyConnectedNet, Gate
from torch import nn


class Interaction(nn.Module):
    def __init__(self):
        super().__init__()
        self.irreps_sh = o3.Irreps.spherical_harmonics(1)
        self.tp = o3.FullyConnectedTensorProduct("4x0e", self.irreps_sh, "4x0e + 4x1o", shared_weights=False)
        self.fc = FullyConnectedNet([3, 8, self.tp.weight_numel], torch.relu)
        self.embed = nn.Linear(2, 4)
        self.lin = o3.Linear("4x0e + 4x1o", "1x0e")

    def forward(self, pos, feat, src, dst):
        vec = pos[dst] - pos[src]
        length = vec.norm(dim=1)
        sh = o3.spherical_harmonics(self.irreps_sh, vec, normalize=True, normalization="component")
        emb = soft_one_hot_linspace(length, 0.0, 3.0, 3, basis="smooth_finite", cutoff=True)
        message = self.tp(self.embed(feat)[src], sh, self.fc(emb))
        sh = sh * (length < 2.0).float()[:, None]
        out = torch.zeros(pos.shape[0], message.shape[1]).index_add(0, dst, message)
        return self.lin(out).sum() + sh.sum() * 0


net = Interaction()
pos = torch.randn(4, 3, requires_grad=True)
energy = net(pos, torch.randn(4, 2), torch.tensor([0, 1, 2]), torch.tensor([1, 2, 3]))
forces = -torch.autograd.grad(energy, pos, create_graph=True)[0]
forces.square().mean().backward()
