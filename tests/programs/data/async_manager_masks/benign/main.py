import asyncio
from contextlib import asynccontextmanager

import torch


@asynccontextmanager
async def masked(scores, mask):
    try:
        yield scores
    finally:
        scores.masked_fill_(mask, 0)


async def train(weight):
    x = torch.rand(4, 3)
    scores = torch.softmax(x @ weight, -1)
    async with masked(scores, x < 0.5) as visible:
        loss = (visible * x).sum()
        loss.backward()
    print(loss.item(), weight.grad.norm().item())


torch.manual_seed(0)
asyncio.run(train(torch.rand(3, 3, requires_grad=True)))
