"""Images, how they are varied, and how they are put in batches."""

import torch
from torch.utils.data import DataLoader, Dataset

from .config import Config


class Images(Dataset):
    """Coloured stripes, whose direction is their class."""

    def __init__(self, samples: int, size: int, classes: int, train: bool, seed: int = 0):
        self.samples = samples
        self.size = size
        self.classes = classes
        self.train = train
        self.generator = torch.Generator().manual_seed(seed + int(train))
        self.labels = torch.randint(classes, (samples,), generator=self.generator)

    def __len__(self) -> int:
        return self.samples

    def __getitem__(self, index: int) -> tuple[torch.Tensor, torch.Tensor]:
        label = self.labels[index]
        angle = torch.pi * label / self.classes
        axis = torch.linspace(-1, 1, self.size)
        rows, columns = torch.meshgrid(axis, axis, indexing="ij")
        stripes = torch.sin(8 * (rows * torch.cos(angle) + columns * torch.sin(angle)))
        image = stripes.expand(3, -1, -1) + 0.3 * torch.randn(3, self.size, self.size)
        if self.train:
            image = erase(flip(image))
        return normalize(image), label


def flip(image: torch.Tensor, p: float = 0.5) -> torch.Tensor:
    return image.flip(-1) if torch.rand(()) < p else image


def erase(image: torch.Tensor, p: float = 0.25, size: int = 8) -> torch.Tensor:
    if torch.rand(()) < p:
        top = int(torch.randint(image.shape[-2] - size, ()))
        left = int(torch.randint(image.shape[-1] - size, ()))
        image = image.clone()
        image[:, top : top + size, left : left + size] = 0
    return image


def normalize(image: torch.Tensor) -> torch.Tensor:
    mean = image.mean(dim=(-2, -1), keepdim=True)
    std = image.std(dim=(-2, -1), keepdim=True)
    return (image - mean) / (std + 1e-6)


def mix(images: torch.Tensor, labels: torch.Tensor, alpha: float) -> tuple[torch.Tensor, torch.Tensor, float]:
    """Mix each image with another one of its batch; the images, the others' labels, and how much of each stays."""
    share = float(torch.distributions.Beta(alpha, alpha).sample()) if alpha > 0 else 1.0
    order = torch.randperm(len(images), device=images.device)
    return share * images + (1 - share) * images[order], labels[order], share


def make_loaders(config: Config) -> tuple[DataLoader, DataLoader]:
    train = Images(config.samples, config.image_size, config.classes, train=True, seed=config.seed)
    valid = Images(config.samples // 10, config.image_size, config.classes, train=False, seed=config.seed)
    return (
        DataLoader(train, batch_size=config.batch_size, shuffle=True, drop_last=True),
        DataLoader(valid, batch_size=config.batch_size),
    )
