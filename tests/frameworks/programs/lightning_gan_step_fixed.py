import lightning as L
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader


class GAN(L.LightningModule):
    def __init__(self, latent_dim=8, lr=2e-4):
        super().__init__()
        self.save_hyperparameters()
        self.automatic_optimization = False
        self.generator = nn.Sequential(nn.Linear(latent_dim, 16), nn.LeakyReLU(0.2), nn.Linear(16, 12), nn.Tanh())
        self.discriminator = nn.Sequential(nn.Linear(12, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))

    def adversarial_loss(self, logits, target):
        return F.binary_cross_entropy_with_logits(logits, torch.full_like(logits, target))

    def training_step(self, batch, batch_idx):
        opt_g, opt_d = self.optimizers()
        z = torch.randn(batch.shape[0], self.hparams.latent_dim)
        fake = self.generator(z)
        fake_logits = self.discriminator(fake)

        d_loss = self.adversarial_loss(self.discriminator(batch), 1.0) + self.adversarial_loss(fake_logits, 0.0)
        opt_d.zero_grad()
        self.manual_backward(d_loss, retain_graph=True)
        opt_d.step()

        g_loss = self.adversarial_loss(self.discriminator(fake), 1.0)
        opt_g.zero_grad()
        self.manual_backward(g_loss)
        opt_g.step()
        self.log_dict({"g_loss": g_loss, "d_loss": d_loss})

    def configure_optimizers(self):
        lr = self.hparams.lr
        opt_g = torch.optim.Adam(self.generator.parameters(), lr=lr, betas=(0.5, 0.999))
        opt_d = torch.optim.Adam(self.discriminator.parameters(), lr=lr, betas=(0.5, 0.999))
        return [opt_g, opt_d], []


if __name__ == "__main__":
    loader = DataLoader(torch.randn(16, 12), batch_size=8)
    trainer = L.Trainer(max_epochs=1, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False)
    trainer.fit(GAN(), loader)
