import torch
from ignite.engine import Engine, Events
from ignite.handlers import TerminateOnNan
from ignite.metrics import RunningAverage
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

model = nn.GRU(3, 6, batch_first=True)
head = nn.Linear(6, 1)
optimizer = torch.optim.RMSprop([*model.parameters(), *head.parameters()], lr=1e-3)
criterion = nn.MSELoss()


def train_step(engine, batch):
    model.train()
    x, y = batch
    out, engine.state.hidden = model(x, engine.state.hidden)
    loss = criterion(head(out[:, -1]), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    engine.state.hidden = engine.state.hidden.detach()
    return loss.item()


trainer = Engine(train_step)
RunningAverage(output_transform=lambda loss: loss).attach(trainer, "loss")


@trainer.on(Events.EPOCH_STARTED)
def reset_hidden(engine):
    engine.state.hidden = None


trainer.add_event_handler(Events.ITERATION_COMPLETED, TerminateOnNan())
trainer.run(DataLoader(TensorDataset(torch.randn(12, 5, 3), torch.randn(12, 1)), batch_size=4), max_epochs=2)
