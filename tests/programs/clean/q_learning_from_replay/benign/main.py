"""A lift that learns where to wait."""
import random
from collections import deque, namedtuple

import torch
from torch import nn
import torch.nn.functional as F

Transition = namedtuple("Transition", "state action reward following done")
FLOORS = 4


class Memory:
    def __init__(self, capacity):
        self.rows = deque([], maxlen=capacity)

    def push(self, *args):
        self.rows.append(Transition(*args))

    def sample(self, size):
        return Transition(*zip(*random.sample(self.rows, size)))

    def __len__(self):
        return len(self.rows)


class Q(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(FLOORS, 8), nn.ReLU(inplace=True))
        self.value, self.advantage = nn.Linear(8, 1), nn.Linear(8, FLOORS)

    def forward(self, state):
        hidden = self.body(state)
        advantage = self.advantage(hidden)
        advantage -= advantage.mean(dim=-1, keepdim=True)
        return self.value(hidden) + advantage


def one_hot(floor):
    state = torch.zeros(FLOORS)
    state[floor] = 1.0
    return state


def learn(net, target, optimizer, memory, discount=0.9):
    batch = memory.sample(6)
    state, following = torch.stack(batch.state), torch.stack(batch.following)
    action, reward = torch.tensor(batch.action), torch.tensor(batch.reward)
    done = torch.tensor(batch.done)
    value = net(state).gather(1, action.unsqueeze(1)).squeeze(1)
    with torch.no_grad():
        best = target(following).amax(dim=1)
        best[done] = 0.0
        best *= discount
        best += reward
    loss = F.smooth_l1_loss(value, best)
    optimizer.zero_grad()
    loss.backward()
    for p in net.parameters():
        p.grad.data.clamp_(-1, 1)
    optimizer.step()
    return loss.item()


random.seed(0)
torch.manual_seed(0)
net, target, memory = Q(), Q(), Memory(30)
target.load_state_dict(net.state_dict())
target.eval()
optimizer = torch.optim.RMSprop(net.parameters(), lr=1e-3)
floor = 0
for step in range(14):
    with torch.no_grad():
        action = net(one_hot(floor)).argmax().item() if random.random() > 0.5 else random.randrange(FLOORS)
    caller = random.choice([0, 0, 2])
    memory.push(one_hot(floor), action, -abs(action - caller) / 1.0, one_hot(action), step % 5 == 4)
    floor = action
    if len(memory) >= 6:
        learn(net, target, optimizer, memory)
    if step % 4 == 0:
        target.load_state_dict(net.state_dict())
