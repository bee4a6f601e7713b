"""What a run is told on the command line."""

import argparse
from dataclasses import asdict, dataclass, fields


@dataclass
class Config:
    network: str = "residual"
    classes: int = 10
    width: int = 64
    depth: int = 4
    drop: float = 0.1
    image_size: int = 32
    samples: int = 10_000
    batch_size: int = 128
    epochs: int = 30
    learning_rate: float = 3e-4
    weight_decay: float = 0.05
    warmup: int = 500
    smoothing: float = 0.1
    mixup: float = 0.2
    clip: float = 1.0
    decay: float = 0.999
    log_every: int = 50
    seed: int = 0
    device: str = "cpu"
    checkpoint: str = "checkpoint.pt"

    @property
    def steps_per_epoch(self) -> int:
        return self.samples // self.batch_size

    @property
    def steps(self) -> int:
        return self.epochs * self.steps_per_epoch


def parse_config() -> Config:
    parser = argparse.ArgumentParser(description="Train an image classifier.")
    for field in fields(Config):
        parser.add_argument(f"--{field.name}", type=type(field.default), default=field.default)
    return Config(**vars(parser.parse_args()))


def describe(config: Config) -> str:
    return "\n".join(f"{name:>16}: {value}" for name, value in asdict(config).items())
