import lightning.pytorch as pl
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Carry(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(3, 5)
        self.out = nn.Linear(5, 1)
        self.state = None

    def training_step(self, batch, batch_idx):
        x, y = batch
        if self.state is None:
            self.state = torch.zeros(x.size(0), 5)
        self.state = self.cell(x, self.state)
        loss = (self.out(self.state) - y).square().mean()
        return {"loss": loss, "state": self.state}

    def configure_optimizers(self):
        opt = torch.optim.SGD(self.parameters(), lr=0.1)
        return {"optimizer": opt, "lr_scheduler": torch.optim.lr_scheduler.StepLR(opt, 1)}


if __name__ == "__main__":
    data = TensorDataset(torch.randn(12, 3), torch.randn(12, 1))
    pl.Trainer(max_epochs=1, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False).fit(Carry(), DataLoader(data, 4))  # here
