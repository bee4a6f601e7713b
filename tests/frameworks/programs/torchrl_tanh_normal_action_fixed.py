import torch
from tensordict import TensorDict
from tensordict.nn import NormalParamExtractor, TensorDictModule
from torch import nn
from torchrl.modules import ProbabilisticActor, TanhNormal, ValueOperator

net = nn.Sequential(nn.Linear(3, 32), nn.Tanh(), nn.Linear(32, 4), NormalParamExtractor())
actor = ProbabilisticActor(TensorDictModule(net, in_keys=["observation"], out_keys=["loc", "scale"]), in_keys=["loc", "scale"], distribution_class=TanhNormal, return_log_prob=True)
qvalue = ValueOperator(nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 1)), in_keys=["observation", "action"])


class QNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, obs, action):
        return self.net(torch.cat([obs, action], -1))


qnet = QNet()
optim = torch.optim.Adam(actor.parameters(), lr=3e-4)
for _ in range(2):
    td = actor(TensorDict({"observation": torch.randn(8, 3)}, [8]))
    scale = td["scale"]
    scale = scale + 1e-3
    entropy = -scale.log().sum(-1)
    loss = -qnet(td["observation"], td["action"]).mean() + 0.2 * entropy.mean()
    optim.zero_grad()
    loss.backward()
    optim.step()
