import lightning as L
import torch
from lightning.pytorch.callbacks import Callback, ModelCheckpoint
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class NoisyWeights(Callback):
    """Adds noise to the weights while the loss is computed, and takes it away."""

    def __init__(self, std=0.01):
        self.std = std
        self.noise = []

    @torch.no_grad()
    def on_train_batch_start(self, trainer, pl_module, batch, batch_idx):
        self.noise = [torch.randn_like(p) * self.std for p in pl_module.parameters()]
        for p, n in zip(pl_module.parameters(), self.noise):
            p.add_(n)

    @torch.no_grad()
    def on_after_backward(self, trainer, pl_module):
        for p, n in zip(pl_module.parameters(), self.noise):
            p.sub_(n)


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = nn.functional.mse_loss(self.net(x), y)
        self.log("loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters())


if __name__ == "__main__":
    data = TensorDataset(torch.randn(12, 4), torch.randn(12, 1))
    trainer = L.Trainer(max_epochs=1, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False, callbacks=[NoisyWeights()])
    trainer.fit(Net(), DataLoader(data, batch_size=4))
