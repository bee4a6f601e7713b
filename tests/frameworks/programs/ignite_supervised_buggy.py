import torch
from ignite.engine import Events, create_supervised_trainer
from torch import nn

model = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.1)


def loss_fn(pred, y):
    err = (pred - y).exp()
    err[err > 3] = 3.0  # here
    return err.mean()


trainer = create_supervised_trainer(model, opt, loss_fn)


@trainer.on(Events.ITERATION_COMPLETED(every=2))
def log(engine):
    print(engine.state.iteration, engine.state.output)


trainer.run([(torch.randn(4, 3), torch.randn(4, 1)) for _ in range(3)], max_epochs=2)
