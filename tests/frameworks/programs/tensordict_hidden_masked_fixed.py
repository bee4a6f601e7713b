import torch
from tensordict import TensorDict
from tensordict.nn import TensorDictModule, TensorDictSequential
from torch import nn

encoder = TensorDictModule(nn.Sequential(nn.Linear(4, 16), nn.Tanh()), in_keys=["observation"], out_keys=["hidden"])
value = TensorDictModule(nn.Linear(16, 1), in_keys=["hidden"], out_keys=["state_value"])
net = TensorDictSequential(encoder, value)
optim = torch.optim.Adam(net.parameters(), lr=3e-4)

for _ in range(2):
    td = TensorDict({"observation": torch.randn(6, 4), "done": torch.rand(6, 1) > 0.8, "return": torch.randn(6, 1)}, batch_size=[6])
    td = net(td)
    td["hidden"] = td["hidden"].masked_fill(td["done"], 0.0)
    loss = (td["state_value"] - td["return"]).square().mean() + 1e-3 * td["hidden"].square().mean()
    optim.zero_grad()
    loss.backward()
    optim.step()
