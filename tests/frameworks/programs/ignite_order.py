"""When the handlers of an engine run, and with what."""

import torch
from ignite.engine import Engine, Events, create_supervised_evaluator, create_supervised_trainer
from torch import nn

EVENTS = ("STARTED", "EPOCH_STARTED", "ITERATION_STARTED", "GET_BATCH_COMPLETED", "ITERATION_COMPLETED",
          "EPOCH_COMPLETED", "COMPLETED")


def step(engine, batch):
    print("TRACE step", batch, engine.state.iteration, engine.state.epoch)
    return batch * 2


engine = Engine(step)
for event in EVENTS:

    @engine.on(getattr(Events, event))
    def handler(engine, event=event):
        print("TRACE", event, engine.state.iteration, engine.state.epoch, engine.state.output)


@engine.on(Events.ITERATION_COMPLETED(every=2) | Events.EPOCH_COMPLETED(once=2))
def sometimes():
    print("TRACE sometimes")


engine.add_event_handler(Events.EPOCH_COMPLETED, lambda engine, more: print("TRACE", more), "more")
engine.run([1, 2, 3], max_epochs=2)

model = nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), 0.1)


def loss_fn(pred, y):
    grad = model.weight.grad
    print("TRACE loss", model.training, torch.is_grad_enabled(), model.weight._version, grad is None)
    return (pred - y).square().mean()


trainer = create_supervised_trainer(model, optimizer, loss_fn)
batches = [(torch.ones(2, 2), torch.ones(2, 1))] * 3
trainer.run(batches)
evaluator = create_supervised_evaluator(model)
evaluator.run(batches)
print("TRACE", model.training, evaluator.state.output[0].requires_grad)
