import torch
from lightning import LightningModule, Trainer
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class ArcFace(LightningModule):
    def __init__(self, classes=5, dim=8, scale=16.0):
        super().__init__()
        self.backbone = nn.Sequential(nn.Linear(6, dim), nn.BatchNorm1d(dim))
        self.prototypes = nn.Parameter(torch.randn(classes, dim))
        self.scale = scale

    def forward(self, x):
        return nn.functional.normalize(self.backbone(x)) @ self.prototypes.t() * self.scale

    def training_step(self, batch, batch_idx):
        x, y = batch
        return nn.functional.cross_entropy(self(x), y)

    def on_before_backward(self, loss):
        self.normalize_prototypes()

    @torch.no_grad()
    def normalize_prototypes(self):
        self.prototypes.div_(self.prototypes.norm(dim=1, keepdim=True))  # here

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.parameters(), lr=0.1)
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 10), "interval": "epoch"}}


if __name__ == "__main__":
    train = DataLoader(TensorDataset(torch.randn(12, 6), torch.randint(0, 5, (12,))), batch_size=6, shuffle=True)
    Trainer(max_epochs=1, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False).fit(ArcFace(), train)
