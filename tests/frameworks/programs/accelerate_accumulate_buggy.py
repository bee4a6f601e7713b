import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

accelerator = Accelerator(cpu=True, gradient_accumulation_steps=2)
model = nn.Sequential(nn.Linear(4, 8), nn.Softplus(), nn.Linear(8, 1))
opt = torch.optim.AdamW(model.parameters())
loader = DataLoader(TensorDataset(torch.randn(16, 4), torch.randn(16, 1)), 4)
model, opt, loader = accelerator.prepare(model, opt, loader)
for x, y in loader:
    with accelerator.accumulate(model):
        pred = model(x)
        weight = torch.exp(pred)
        loss = (weight * (pred - y)).mean()
        weight.clamp_(max=10)  # here
        accelerator.backward(loss)
        if accelerator.sync_gradients:
            accelerator.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        opt.zero_grad()
