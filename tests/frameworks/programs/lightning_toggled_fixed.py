import pytorch_lightning as pl
import torch
import torch.nn.functional as F
from torch import nn


class GAN(pl.LightningModule):
    def __init__(self, latent=8):
        super().__init__()
        self.automatic_optimization = False
        self.latent = latent
        self.generator = nn.Sequential(nn.Linear(latent, 16), nn.ReLU(), nn.Linear(16, 4))
        self.critic = nn.Sequential(nn.Linear(4, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))

    def training_step(self, batch, batch_idx):
        opt_g, opt_d = self.optimizers()
        real = batch[0]
        z = torch.randn(real.size(0), self.latent)
        fake = self.generator(z)
        self.toggle_optimizer(opt_d)
        loss_d = F.softplus(-self.critic(real)).mean() + F.softplus(self.critic(fake.detach())).mean()
        opt_d.zero_grad()
        self.manual_backward(loss_d)
        opt_d.step()
        self.untoggle_optimizer(opt_d)
        loss_g = F.softplus(-self.critic(fake)).mean()
        opt_g.zero_grad()
        self.manual_backward(loss_g)
        opt_g.step()

    def configure_optimizers(self):
        return torch.optim.Adam(self.generator.parameters()), torch.optim.Adam(self.critic.parameters())


if __name__ == "__main__":
    from torch.utils.data import DataLoader, TensorDataset
    trainer = pl.Trainer(max_epochs=1, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False)
    trainer.fit(GAN(), DataLoader(TensorDataset(torch.randn(12, 4)), 4))
