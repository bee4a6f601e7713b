"""Weave patterns in the style of another: optimise the image."""
import torch

from backbone import make_backbone
from style import StyleProbe


def weave(size, period):
    lines = torch.arange(size).remainder(period).float()
    return (lines[:, None] + lines[None, :]).div_(2 * period).expand(1, 3, -1, -1).clone()


def closure_for(image, net, probe, targets, optimizer):
    def closure():
        with torch.no_grad():
            image.clamp_(0, 1)
        optimizer.zero_grad()
        net(image)
        found = probe.collect()
        loss = sum((a - b).square().mean() for a, b in zip(found, targets))
        loss.backward()
        return loss

    return closure


def main():
    torch.manual_seed(0)
    net = make_backbone(widths=(4, 6))
    probe = StyleProbe(net, layers=["0", "2"])
    with torch.no_grad():
        net(weave(8, period=4))
    targets = [gram.detach() for gram in probe.collect()]
    image = weave(8, period=3).requires_grad_()
    optimizer = torch.optim.LBFGS([image], max_iter=3)
    closure = closure_for(image, net, probe, targets, optimizer)
    for _ in range(2):
        optimizer.step(closure)
    print(image.detach().mean().item())


if __name__ == "__main__":
    main()
