import torch
from torch import nn
from torch.optim.swa_utils import SWALR, AveragedModel, update_bn
import torch.nn.functional as F

from reverse import reverse


class Tagger(nn.Module):
    def __init__(self, inputs, width, tags):
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(inputs, width), nn.BatchNorm1d(width), nn.LeakyReLU(0.1, inplace=True), nn.Dropout(0.1)
        )
        self.tag, self.site = nn.Linear(width, tags), nn.Linear(width, 2)

    def forward(self, x, strength=0.0):
        hidden = self.body(x)
        return self.tag(hidden), self.site(reverse(hidden, strength))


def smooth(labels, classes, amount=0.1):
    target = torch.full((len(labels), classes), amount / (classes - 1))
    target.scatter_(1, labels.unsqueeze(1), 1 - amount)
    return target


def mixed(x, target, share):
    order = torch.randperm(len(x))
    x = x.mul(share).add_(x[order], alpha=1 - share)
    target = target * share
    target += (1 - share) * target[order] / share
    return x, target


def batches(count, size):
    for _ in range(count):
        x = torch.randn(size, 5)
        site = torch.randint(0, 2, (size,))
        x[site == 1] += 0.5
        yield x, x[:, :3].argmax(dim=1), site


torch.manual_seed(0)
teacher, student = Tagger(5, 12, 3).eval(), Tagger(5, 6, 3)
teacher.requires_grad_(False)
average = AveragedModel(student)
optimizer = torch.optim.SGD(student.parameters(), lr=0.1, momentum=0.9)
schedule = SWALR(optimizer, swa_lr=0.05, anneal_epochs=1)
for epoch in range(2):
    student.train()
    for i, (x, labels, site) in enumerate(batches(2, 8)):
        x, target = mixed(x, smooth(labels, 3), share=0.8)
        logits, origin = student(x, strength=0.1 * epoch)
        hints, _ = teacher(x)
        hints /= 2.0
        loss = -(target * logits.log_softmax(-1)).sum(-1).mean()
        loss += F.kl_div((logits / 2.0).log_softmax(-1), hints.softmax(-1), reduction="batchmean")
        loss += F.cross_entropy(origin, site)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    average.update_parameters(student)
    schedule.step()
update_bn(((x,) for x, _, _ in batches(2, 8)), average)
with torch.inference_mode():
    scores, _ = average(torch.randn(4, 5))
    scores.softmax(-1).mul_(100).round_()
print(loss.item())
