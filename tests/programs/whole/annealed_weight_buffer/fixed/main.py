import torch

from callbacks import Annealer, Callbacks
from vae import Ripening

CALLBACKS = [("loss_ready", Annealer(step=0.2))]


def train(model, batches, callbacks):
    optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3)
    for step, batch in enumerate(batches):
        loss, parts = model.loss(batch)
        callbacks.fire("loss_ready", model=model, step=step)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        callbacks.fire("batch_end", model=model, step=step)
        print(step, {name: round(value.item(), 3) for name, value in parts.items()})


torch.manual_seed(0)
train(Ripening(bands=5, code=2), torch.rand(3, 4, 5), Callbacks(CALLBACKS))
