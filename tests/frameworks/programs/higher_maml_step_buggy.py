import higher
import torch
import torch.nn.functional as F
from torch import nn

net = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 1))
meta_opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for episode in range(2):
    inner_opt = torch.optim.SGD(net.parameters(), lr=0.1)
    x_spt, y_spt, x_qry, y_qry = torch.randn(5, 3), torch.randn(5, 1), torch.randn(5, 3), torch.randn(5, 1)
    with higher.innerloop_ctx(net, inner_opt, copy_initial_weights=False) as (fnet, diffopt):
        for _ in range(2):
            spt_loss = F.mse_loss(fnet(x_spt), y_spt)
            diffopt.step(spt_loss)
        hidden = torch.sigmoid(fnet(x_qry))
        hidden *= 2  # here
        qry_loss = F.mse_loss(hidden, y_qry)
        meta_opt.zero_grad()
        qry_loss.backward()
    meta_opt.step()
