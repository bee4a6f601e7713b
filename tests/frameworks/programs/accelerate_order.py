"""When gradients are complete, and what steps and clears then."""

import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

for every in (1, 2):
    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=every)
    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(TensorDataset(torch.ones(8, 2)), batch_size=2)
    prepared, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    print("TRACE", prepared is model, accelerator.unwrap_model(prepared) is model)
    for (x,) in loader:
        with accelerator.accumulate(prepared):
            loss = prepared(x).mean()
            accelerator.backward(loss)
            print("TRACE", accelerator.sync_gradients, model.weight.grad[0, 0].item())
            accelerator.clip_grad_norm_(model.parameters(), 1e9)
            before = model.weight._version
            optimizer.step()
            optimizer.zero_grad()
            print("TRACE", model.weight._version - before, model.weight.grad is None)
