import higher
import torch
from torch import nn

model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2))
opt = torch.optim.SGD(model.parameters(), lr=0.05)
meta = torch.optim.Adam(model.parameters(), lr=1e-3)
criterion = nn.CrossEntropyLoss()

losses = []
for task in range(2):
    x, y = torch.randn(6, 4), torch.randint(0, 2, (6,))
    with higher.innerloop_ctx(model, opt, copy_initial_weights=False) as (fmodel, diffopt):
        diffopt.step(criterion(fmodel(x), y))
        losses.append(criterion(fmodel(x), y))
    with torch.no_grad():
        for p in model.parameters():
            p.clamp_(-1.0, 1.0)
meta.zero_grad()
torch.stack(losses).mean().backward()
meta.step()
