import torch
from tensordict import TensorDict
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.modules import MLP, ValueOperator

value_net = ValueOperator(MLP(in_features=4, out_features=1, num_cells=[16]), in_keys=["observation"])
policy = TensorDictModule(nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2)), in_keys=["observation"], out_keys=["logits"])
optim = torch.optim.Adam([*value_net.parameters(), *policy.parameters()])

for _ in range(2):
    td = TensorDict({"observation": torch.randn(10, 4), "action": torch.randint(0, 2, (10, 1)), "ret": torch.randn(10, 1)}, [10])
    value_net(td)
    policy(td)
    logp = torch.log_softmax(td["logits"], -1)
    taken = logp.gather(-1, td["action"])
    ratio = (taken - taken.detach()).exp()
    advantage = td["ret"] - td["state_value"]
    gain = ratio * advantage.detach()
    loss = -torch.min(gain, ratio.clamp(0.8, 1.2) * advantage.detach()).mean() + advantage.square().mean()
    optim.zero_grad()
    loss.backward()
    optim.step()
