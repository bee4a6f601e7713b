import lightning.pytorch as pl
import torch
from torch import nn
from torch.utils.data import DataLoader


class DeepSVDD(pl.LightningModule):
    """The centre is what validation has seen."""

    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(6, 16), nn.GELU(), nn.Linear(16, 4))
        self.gain = nn.Parameter(torch.ones(4))
        self.center = torch.zeros(4)

    def training_step(self, batch, batch_idx):
        target = self.center * self.gain
        return (self.encoder(batch) - target).square().sum(1).mean()

    def validation_step(self, batch, batch_idx):
        self.center = self.encoder(batch).mean(0)

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-3)


if __name__ == "__main__":
    loader = DataLoader(torch.randn(16, 6), batch_size=8)
    model = DeepSVDD()
    trainer = pl.Trainer(max_epochs=1, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False)
    trainer.fit(model, loader, loader)
