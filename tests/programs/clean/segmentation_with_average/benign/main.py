import copy

import torch
from torch import nn
import torch.nn.functional as F

from unet import UNet


class Average:
    def __init__(self, net, decay=0.9):
        self.net = copy.deepcopy(net).eval()
        self.decay = decay
        for p in self.net.parameters():
            p.requires_grad_(False)

    @torch.no_grad()
    def update(self, net):
        state = net.state_dict()
        for name, value in self.net.state_dict().items():
            if value.dtype.is_floating_point:
                value *= self.decay
                value += (1 - self.decay) * state[name].detach()


class Confusion:
    def __init__(self, classes):
        self.counts = torch.zeros(classes, classes, dtype=torch.long)

    def update(self, logits, truth):
        said = logits.argmax(dim=1)
        index = truth.flatten() * len(self.counts) + said.flatten()
        self.counts += torch.bincount(index, minlength=self.counts.numel()).view_as(self.counts)


def dice(logits, truth):
    p = logits.softmax(dim=1)
    t = F.one_hot(truth, p.size(1)).permute(0, 3, 1, 2).float()
    overlap = (p * t).sum(dim=(2, 3))
    return 1 - ((2 * overlap + 1) / (p.sum(dim=(2, 3)) + t.sum(dim=(2, 3)) + 1)).mean()


torch.manual_seed(0)
net = UNet(classes=2)
average, confusion = Average(net), Confusion(2)
optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9, nesterov=True)
schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=4)
scaler = torch.amp.GradScaler("cpu", enabled=False)
optimizer.zero_grad()
for step in range(4):
    image = torch.rand(2, 1, 8, 8)
    image.sub_(image.mean()).div_(image.std())
    truth = (image.squeeze(1) > 0).long()
    with torch.autocast("cpu", dtype=torch.bfloat16, enabled=False):
        logits = net(image)
        loss = F.cross_entropy(logits, truth) + dice(logits, truth)
    scaler.scale(loss / 2).backward()
    if step % 2 == 1:
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
        schedule.step()
        average.update(net)
    confusion.update(logits.detach(), truth)
print(confusion.counts.tolist())
