import asyncio

import torch
from torch import nn


class Trainer:
    def __init__(self, net):
        self.net = net
        self.optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
        self.log = []

    async def publish(self, bound):
        await asyncio.sleep(0)
        with torch.no_grad():
            for p in self.net.parameters():
                p.clamp_(-bound, bound)  # changed
        self.log.append(bound)

    async def step(self, batch):
        loss = self.net(batch).abs().mean()  # saved
        await self.publish(0.2)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()

    async def run(self, batches):
        for batch in batches:
            await self.step(batch)


torch.manual_seed(0)
trainer = Trainer(nn.Sequential(nn.Linear(2, 3), nn.Sigmoid(), nn.Linear(3, 1)))
asyncio.run(trainer.run(torch.randn(2, 4, 2)))
