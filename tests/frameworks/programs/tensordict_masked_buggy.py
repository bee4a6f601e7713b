import torch
from tensordict import TensorDict
from tensordict.nn import TensorDictModule
from torch import nn

net = TensorDictModule(nn.Sequential(nn.Linear(4, 8), nn.Tanh()), in_keys=["obs"], out_keys=["feat"])
head = nn.Linear(8, 1)
opt = torch.optim.Adam([*net.parameters(), *head.parameters()])
for _ in range(2):
    td = TensorDict({"obs": torch.randn(5, 4), "mask": torch.rand(5) > 0.5}, batch_size=[5])
    td = net(td)
    value = head(td["feat"])
    td["feat"][td["mask"]] = 0.0  # here
    loss = value.sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
