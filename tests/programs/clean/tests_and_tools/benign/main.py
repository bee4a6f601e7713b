"""Tools around a training run."""
import numpy as np
import torch
from torch.optim.optimizer import Optimizer


class Normalize:
    def __init__(self, mean, std):
        self.mean, self.std = torch.tensor(mean), torch.tensor(std)

    def __call__(self, image):
        image.sub_(self.mean[:, None, None]).div_(self.std[:, None, None])
        return image


class Cutout:
    def __init__(self, size):
        self.size = size

    def __call__(self, image):
        h, w = image.shape[-2:]
        y, x = np.random.randint(h - self.size + 1), np.random.randint(w - self.size + 1)
        image[..., y : y + self.size, x : x + self.size] = 0
        return image


class Compose:
    def __init__(self, *transforms):
        self.transforms = transforms

    def __call__(self, image):
        for transform in self.transforms:
            image = transform(image)
        return image


class Momentum(Optimizer):
    def __init__(self, params, lr=0.1, momentum=0.9, weight_decay=0.0):
        super().__init__(params, {"lr": lr, "momentum": momentum, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure=None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                grad = p.grad
                if group["weight_decay"]:
                    grad = grad.add(p, alpha=group["weight_decay"])
                state = self.state[p]
                if not state:
                    state["velocity"] = torch.zeros_like(p)
                velocity = state["velocity"]
                velocity.mul_(group["momentum"]).add_(grad)
                p.add_(velocity, alpha=-group["lr"])
        return loss


class Top:
    def __init__(self, k):
        self.k = k
        self.right = torch.zeros(1)
        self.seen = 0

    @torch.no_grad()
    def update(self, scores, labels):
        best = scores.topk(self.k, dim=1).indices
        hit = best.sub_(labels.unsqueeze(1)).eq(0).any(dim=1)
        self.right += hit.sum()
        self.seen += len(labels)

    def compute(self):
        return (self.right / max(self.seen, 1)).item()


def moving_average(values, weight=0.9):
    smooth = values.clone()
    for i in range(1, len(smooth)):
        smooth[i] = weight * smooth[i - 1] + (1 - weight) * smooth[i]
    return smooth


if __name__ == "__main__":
    np.random.seed(0)
    torch.manual_seed(0)
    prepare = Compose(Normalize([0.5], [0.2]), Cutout(2))
    net = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(16, 3))
    optimizer = Momentum(net.parameters(), weight_decay=1e-4)
    top, losses = Top(2), []
    for _ in range(3):
        images = torch.stack([prepare(image) for image in torch.rand(4, 1, 4, 4)])
        labels = torch.randint(0, 3, (4,))
        scores = net(images)
        loss = torch.nn.functional.cross_entropy(scores, labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        top.update(scores, labels)
        losses.append(loss.detach())
    print(top.compute(), moving_average(torch.stack(losses)).tolist())
