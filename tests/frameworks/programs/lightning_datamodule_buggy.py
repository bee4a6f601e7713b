import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Data(L.LightningDataModule):
    def __init__(self, n=20):
        super().__init__()
        self.n = n

    def setup(self, stage):
        self.train = TensorDataset(torch.randn(self.n, 6), torch.randn(self.n, 1))

    def train_dataloader(self):
        return DataLoader(self.train, batch_size=5)


class Net(L.LightningModule):
    def __init__(self, dim=6, rate=0.5):
        super().__init__()
        self.save_hyperparameters()
        self.enc = nn.Linear(self.hparams.dim, 8)
        self.dec = nn.Linear(8, 1)
        self.register_buffer("scale", torch.ones(8))

    def forward(self, x):
        h = torch.tanh(self.enc(x))
        h *= self.scale  # here
        return self.dec(h)

    def training_step(self, batch, batch_idx):
        x, y = batch
        return nn.functional.mse_loss(self(x), y)

    def on_before_zero_grad(self, optimizer):
        pass

    def configure_optimizers(self):
        return [torch.optim.Adam(self.parameters())], []


def main():
    trainer = L.Trainer(max_epochs=2, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False)
    trainer.fit(Net(), datamodule=Data())


main()
