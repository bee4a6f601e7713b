import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class EMAWeights(L.Callback):
    def on_train_batch_start(self, trainer, pl_module, batch, batch_idx):
        with torch.no_grad():
            for p in pl_module.parameters():
                p.mul_(0.999)


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))

    def training_step(self, batch, batch_idx):
        return self.body(batch[0]).mean()

    def validation_step(self, batch, batch_idx):
        x = batch[0]
        out = torch.sigmoid(self.body(x))
        out += 1
        self.log("val", out.mean())

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)


loader = DataLoader(TensorDataset(torch.randn(8, 4)), 4)
trainer = L.Trainer(max_epochs=1, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False, callbacks=EMAWeights())
trainer.fit(Net(), loader, loader)
