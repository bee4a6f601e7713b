"""Signs of a sign language: two crops of one clip should embed alike."""
import torch
from torch import nn
import torch.nn.functional as F

from clips import Clips
from transforms import jitter_

TRANSFORM = jitter_


class Embed(nn.Module):
    def __init__(self, joints, width):
        super().__init__()
        self.space = nn.Conv1d(joints, width, 3, padding=1)
        self.time = nn.Linear(width, width, bias=False)

    def forward(self, clip):
        pooled = F.softplus(self.space(clip)).mean(dim=-1)
        return F.normalize(self.time(pooled), dim=-1)


def contrast(net, clips, index):
    first = net(clips[index].unsqueeze(0))
    second = net(clips[index].unsqueeze(0))
    return 1 - (first * second).sum()


def main():
    torch.manual_seed(0)
    clips = Clips(count=3, joints=4, frames=5, transform=TRANSFORM)
    net = Embed(joints=4, width=3)
    optimizer = torch.optim.Adagrad(net.parameters(), lr=0.05)
    for index in range(len(clips)):
        loss = contrast(net, clips, index)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(clips.hits, loss.item())


if __name__ == "__main__":
    main()
