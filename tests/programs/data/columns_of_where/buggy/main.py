"""One-stage detector head: positive cells are found with torch.where and moved to another level."""

import torch
from torch import nn
import torch.nn.functional as F


class Head(nn.Module):
    def __init__(self, c=6, k=3):
        super().__init__()
        self.cls, self.box = nn.Conv2d(c, k, 1), nn.Conv2d(c, 4, 1)

    def forward(self, f):
        return self.cls(f), self.box(f).exp()


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(1, 6, 3, padding=1)
        self.head = Head()

    def forward(self, img):
        f = F.gelu(self.stem(img))
        return [self.head(f), self.head(F.avg_pool2d(f, 2))]


def level_loss(scores, boxes, hits, target):
    b, y, x = torch.where(hits)
    picked = boxes.permute(0, 2, 3, 1)[b, y, x]  # saved
    loss = F.smooth_l1_loss(picked, target[b])
    y //= 2  # changed
    x //= 2  # changed
    return loss + F.cross_entropy(scores, hits.long()), (b, y, x)


def run(steps=2):
    torch.manual_seed(0)
    net = Detector()
    opt = torch.optim.AdamW(net.parameters(), lr=1e-3)
    for _ in range(steps):
        img = torch.rand(3, 1, 8, 8)
        target = torch.rand(3, 4)
        (s0, b0), (s1, b1) = net(img)
        hits = torch.rand(3, 8, 8) > 0.8
        hits[:, 0, 0] = True
        loss, (b, y, x) = level_loss(s0, b0, hits, target)
        coarse = b1[b, :, y, x]
        loss = loss + (coarse - target[b]).abs().mean() + s1.square().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(loss.item())


run()
