import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class VQ(nn.Module):
    def __init__(self, n=16, dim=8):
        super().__init__()
        self.enc = nn.Linear(4, dim)
        self.dec = nn.Linear(dim, 4)
        self.register_buffer("codebook", torch.randn(n, dim))

    def forward(self, x):
        z = self.enc(x)
        dist = (z.pow(2).sum(1, keepdim=True) - 2 * z @ self.codebook.clone().t() + self.codebook.pow(2).sum(1))
        idx = dist.argmin(1)
        soft = torch.softmax(-dist, dim=1) @ self.codebook.clone()
        if self.training:
            with torch.no_grad():
                self.codebook[idx] = 0.99 * self.codebook[idx] + 0.01 * z
        return self.dec(soft), z


def train():
    set_seed(0)
    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=2)
    model = VQ()
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda step: 1.0)
    loader = DataLoader(TensorDataset(torch.randn(16, 4)), batch_size=4)
    model, opt, loader, sched = accelerator.prepare(model, opt, loader, sched)
    model.train()
    for (x,) in loader:
        with accelerator.accumulate(model):
            recon, z = model(x)
            loss = nn.functional.mse_loss(recon, x)
            accelerator.backward(loss)
            if accelerator.sync_gradients:
                accelerator.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
            sched.step()
            opt.zero_grad()


if __name__ == "__main__":
    train()
