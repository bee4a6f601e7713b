import copy

import torch
from torch import nn
from torchrl.data import LazyTensorStorage, ReplayBuffer
from torchrl.modules import MLP
from tensordict import TensorDict

q_net = MLP(in_features=4, out_features=2, num_cells=[16, 16], activation_class=nn.ReLU)
target_net = copy.deepcopy(q_net).requires_grad_(False)
buffer = ReplayBuffer(storage=LazyTensorStorage(64), batch_size=8)
buffer.extend(TensorDict({"obs": torch.randn(32, 4), "next_obs": torch.randn(32, 4), "action": torch.randint(0, 2, (32, 1)), "reward": torch.randn(32, 1), "done": torch.rand(32, 1) > 0.9}, [32]))
optimizer = torch.optim.Adam(q_net.parameters(), lr=1e-3)

for _ in range(3):
    batch = buffer.sample()
    q = q_net(batch["obs"]).gather(1, batch["action"])
    td_error = torch.nn.functional.smooth_l1_loss(q, batch["reward"] + 0.99 * target_net(batch["next_obs"]).max(1, keepdim=True)[0], reduction="none")
    weights = (td_error.exp() + 1).log()
    weights[batch["done"]] = 0
    prob = torch.softmax(q_net(batch["obs"]), -1)
    prob = prob + 1e-6
    entropy = -(prob * prob.log()).sum(-1, keepdim=True)
    loss = (weights - 0.01 * entropy).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        for p, t in zip(q_net.parameters(), target_net.parameters()):
            t.lerp_(p, 0.005)
