"""A variational autoencoder with a critic, as a Lightning module that optimizes by hand."""

from typing import Any

import lightning as L
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Encoder(nn.Module):
    """From an image to the mean and the logarithm of the variance of its code."""

    def __init__(self, channels: int, width: int, code: int):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(channels, width, 4, stride=2, padding=1),
            nn.GroupNorm(8, width),
            nn.SiLU(),
            nn.Conv2d(width, 2 * width, 4, stride=2, padding=1),
            nn.GroupNorm(8, 2 * width),
            nn.SiLU(),
            nn.Conv2d(2 * width, 4 * width, 4, stride=2, padding=1),
            nn.SiLU(),
        )
        self.mean = nn.Linear(4 * width * 16, code)
        self.log_variance = nn.Linear(4 * width * 16, code)

    def forward(self, images: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        x = self.layers(images).flatten(1)
        return self.mean(x), self.log_variance(x).clamp(-10, 10)


class Decoder(nn.Module):
    """From a code to an image."""

    def __init__(self, channels: int, width: int, code: int):
        super().__init__()
        self.width = width
        self.project = nn.Linear(code, 4 * width * 16)
        self.layers = nn.Sequential(
            nn.ConvTranspose2d(4 * width, 2 * width, 4, stride=2, padding=1),
            nn.GroupNorm(8, 2 * width),
            nn.SiLU(),
            nn.ConvTranspose2d(2 * width, width, 4, stride=2, padding=1),
            nn.GroupNorm(8, width),
            nn.SiLU(),
            nn.ConvTranspose2d(width, channels, 4, stride=2, padding=1),
        )

    def forward(self, code: torch.Tensor) -> torch.Tensor:
        x = F.silu(self.project(code))
        x = x.view(-1, 4 * self.width, 4, 4)
        return torch.tanh(self.layers(x))


class Critic(nn.Module):
    """How real an image looks, patch by patch."""

    def __init__(self, channels: int, width: int):
        super().__init__()
        self.blocks = nn.ModuleList(
            [
                nn.utils.parametrizations.spectral_norm(nn.Conv2d(channels, width, 4, stride=2, padding=1)),
                nn.utils.parametrizations.spectral_norm(nn.Conv2d(width, 2 * width, 4, stride=2, padding=1)),
                nn.utils.parametrizations.spectral_norm(nn.Conv2d(2 * width, 4 * width, 4, stride=2, padding=1)),
            ]
        )
        self.score = nn.Conv2d(4 * width, 1, 3, padding=1)

    def features(self, images: torch.Tensor) -> list[torch.Tensor]:
        features = []
        x = images
        for block in self.blocks:
            x = F.leaky_relu(block(x), 0.2)
            features.append(x)
        return features

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        return self.score(self.features(images)[-1])


def kl_divergence(mean: torch.Tensor, log_variance: torch.Tensor) -> torch.Tensor:
    return -0.5 * (1 + log_variance - mean.pow(2) - log_variance.exp()).sum(dim=1).mean()


def gradient_penalty(critic: Critic, real: torch.Tensor, fake: torch.Tensor) -> torch.Tensor:
    share = torch.rand(real.shape[0], 1, 1, 1, device=real.device)
    between = (share * real + (1 - share) * fake).requires_grad_()
    (gradient,) = torch.autograd.grad(critic(between).sum(), between, create_graph=True)
    return (gradient.flatten(1).norm(dim=1) - 1).pow(2).mean()


class Autoencoder(L.LightningModule):
    def __init__(
        self,
        channels: int = 3,
        width: int = 64,
        code: int = 128,
        learning_rate: float = 2e-4,
        kl_weight: float = 1e-3,
        critic_weight: float = 0.1,
        feature_weight: float = 1.0,
        penalty_weight: float = 10.0,
        critic_every: int = 2,
        warmup: int = 1000,
        decay: float = 0.999,
    ):
        super().__init__()
        self.save_hyperparameters()
        self.automatic_optimization = False
        self.encoder = Encoder(channels, width, code)
        self.decoder = Decoder(channels, width, code)
        self.critic = Critic(channels, width)
        self.register_buffer("code_mean", torch.zeros(code))
        self.register_buffer("code_square", torch.ones(code))
        self.validation_errors: list[torch.Tensor] = []

    def encode(self, images: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        mean, log_variance = self.encoder(images)
        noise = torch.randn_like(mean)
        return mean + noise * torch.exp(0.5 * log_variance), mean, log_variance

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        mean, _ = self.encoder(images)
        return self.decoder(mean)

    @property
    def kl_weight(self) -> float:
        """Rises from nothing, so that the codes are used."""
        return self.hparams.kl_weight * min(1.0, self.global_step / self.hparams.warmup)

    def feature_loss(self, real: torch.Tensor, fake: torch.Tensor) -> torch.Tensor:
        pairs = zip(self.critic.features(real), self.critic.features(fake), strict=True)
        return torch.stack([F.l1_loss(b, a.detach()) for a, b in pairs]).mean()

    def generator_loss(self, images: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        code, mean, log_variance = self.encode(images)
        fake = self.decoder(code)
        reconstruction = F.l1_loss(fake, images)
        divergence = kl_divergence(mean, log_variance)
        features = self.feature_loss(images, fake)
        fooled = -self.critic(fake).mean()
        self.log_dict(
            {
                "train/reconstruction": reconstruction,
                "train/divergence": divergence,
                "train/features": features,
                "train/fooled": fooled,
            }
        )
        loss = (
            reconstruction
            + self.kl_weight * divergence
            + self.hparams.feature_weight * features
            + self.hparams.critic_weight * fooled
        )
        self.note_codes(mean)
        return loss, fake

    def critic_loss(self, images: torch.Tensor, fake: torch.Tensor) -> torch.Tensor:
        fake = fake.detach()
        hinge = F.relu(1 - self.critic(images)).mean() + F.relu(1 + self.critic(fake)).mean()
        penalty = gradient_penalty(self.critic, images, fake)
        self.log_dict({"train/hinge": hinge, "train/penalty": penalty})
        return hinge + self.hparams.penalty_weight * penalty

    @torch.no_grad()
    def note_codes(self, mean: torch.Tensor) -> None:
        """Keep the moments of the codes, to draw new ones."""
        decay = self.hparams.decay
        self.code_mean.mul_(decay).add_(mean.mean(dim=0), alpha=1 - decay)
        self.code_square.mul_(decay).add_(mean.pow(2).mean(dim=0), alpha=1 - decay)

    def training_step(self, batch: tuple[torch.Tensor, ...], batch_idx: int) -> None:
        (images,) = batch
        generator, critic = self.optimizers()

        self.toggle_optimizer(generator)
        loss, fake = self.generator_loss(images)
        generator.zero_grad()
        self.manual_backward(loss)
        self.clip_gradients(generator, gradient_clip_val=1.0, gradient_clip_algorithm="norm")
        generator.step()
        self.untoggle_optimizer(generator)

        if batch_idx % self.hparams.critic_every == 0:
            self.toggle_optimizer(critic)
            loss = self.critic_loss(images, fake)
            critic.zero_grad()
            self.manual_backward(loss)
            critic.step()
            self.untoggle_optimizer(critic)

        for schedule in self.lr_schedulers():
            schedule.step()

    def validation_step(self, batch: tuple[torch.Tensor, ...], batch_idx: int) -> torch.Tensor:
        (images,) = batch
        rebuilt = self(images)
        error = F.mse_loss(rebuilt, images, reduction="none").flatten(1).mean(dim=1)
        self.validation_errors.append(error)
        self.log("valid/error", error.mean(), prog_bar=True)
        if batch_idx == 0:
            self.show(images, rebuilt)
        return error.mean()

    def on_validation_epoch_end(self) -> None:
        errors = torch.cat(self.validation_errors)
        self.log("valid/worst", errors.max())
        self.log("valid/psnr", -10 * torch.log10(errors.mean()))
        self.validation_errors.clear()

    def test_step(self, batch: tuple[torch.Tensor, ...], batch_idx: int) -> None:
        (images,) = batch
        self.log("test/error", F.mse_loss(self(images), images))

    def predict_step(self, batch: tuple[torch.Tensor, ...], batch_idx: int) -> torch.Tensor:
        (images,) = batch
        return self.encoder(images)[0]

    def show(self, images: torch.Tensor, rebuilt: torch.Tensor, most: int = 8) -> None:
        """Hand some images to the logger, if there is one that takes images."""
        writer: Any = getattr(self.logger, "experiment", None)
        if hasattr(writer, "add_images"):
            pairs = torch.cat([images[:most], rebuilt[:most]])
            writer.add_images("valid/rebuilt", (pairs + 1) / 2, self.global_step)

    @torch.no_grad()
    def sample(self, count: int) -> torch.Tensor:
        std = (self.code_square - self.code_mean.pow(2)).clamp(min=1e-6).sqrt()
        code = self.code_mean + std * torch.randn(count, len(std), device=self.device)
        return self.decoder(code)

    @torch.no_grad()
    def interpolate(self, first: torch.Tensor, second: torch.Tensor, steps: int = 8) -> torch.Tensor:
        (a, _), (b, _) = self.encoder(first), self.encoder(second)
        shares = torch.linspace(0, 1, steps, device=self.device)
        return torch.stack([self.decoder(torch.lerp(a, b, share)) for share in shares])

    def configure_optimizers(self) -> tuple[list[torch.optim.Optimizer], list[Any]]:
        rate = self.hparams.learning_rate
        autoencoder = [*self.encoder.parameters(), *self.decoder.parameters()]
        generator = torch.optim.AdamW(autoencoder, lr=rate, betas=(0.5, 0.99))
        critic = torch.optim.AdamW(self.critic.parameters(), lr=2 * rate, betas=(0.5, 0.99))

        def factor(step: int) -> float:
            return min(1.0, (step + 1) / self.hparams.warmup)

        schedules = [torch.optim.lr_scheduler.LambdaLR(one, factor) for one in (generator, critic)]
        return [generator, critic], schedules


class Pictures(L.LightningDataModule):
    def __init__(self, samples: int = 1024, size: int = 32, batch_size: int = 64):
        super().__init__()
        self.samples = samples
        self.size = size
        self.batch_size = batch_size

    def setup(self, stage: str) -> None:
        pictures = torch.rand(self.samples, 3, self.size, self.size) * 2 - 1
        self.train, self.valid = TensorDataset(pictures[:-128]), TensorDataset(pictures[-128:])

    def train_dataloader(self) -> DataLoader:
        return DataLoader(self.train, batch_size=self.batch_size, shuffle=True, drop_last=True)

    def val_dataloader(self) -> DataLoader:
        return DataLoader(self.valid, batch_size=self.batch_size)


class Samples(L.Callback):
    """Draws some images at the end of every few epochs."""

    def __init__(self, count: int = 16, every: int = 5):
        self.count = count
        self.every = every

    def on_train_epoch_end(self, trainer: L.Trainer, pl_module: Autoencoder) -> None:
        if trainer.current_epoch % self.every == 0:
            images = pl_module.sample(self.count)
            torch.save(images.cpu(), f"samples-{trainer.current_epoch}.pt")


def main() -> None:
    L.seed_everything(0)
    model = Autoencoder()
    trainer = L.Trainer(max_epochs=10, accelerator="auto", log_every_n_steps=10, callbacks=[Samples()])
    trainer.fit(model, Pictures())
    torch.save(model.sample(16), "samples.pt")


if __name__ == "__main__":
    main()
