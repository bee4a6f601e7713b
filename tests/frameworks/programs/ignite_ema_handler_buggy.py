import copy

import torch
from ignite.engine import Engine, Events, create_supervised_evaluator
from ignite.metrics import Accuracy, Loss
from torch import nn

model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
teacher = copy.deepcopy(model)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
criterion = nn.CrossEntropyLoss()


class Student:
    def __init__(self):
        self.trainer = Engine(self.step)
        self.trainer.add_event_handler(Events.ITERATION_STARTED, self.prepare)
        self.evaluator = create_supervised_evaluator(model, metrics={"acc": Accuracy(), "loss": Loss(criterion)})

    def prepare(self, engine):
        x, y = engine.state.batch
        self.logits = teacher(x)

    def step(self, engine, batch):
        x, y = batch
        optimizer.zero_grad()
        loss = criterion(model(x), y) + (model(x) - self.logits).square().mean()
        with torch.no_grad():
            for p, q in zip(teacher.parameters(), model.parameters()):
                p.mul_(0.9).add_(q, alpha=0.1)  # here
        loss.backward()
        optimizer.step()
        return loss.item()


student = Student()
batches = [(torch.randn(5, 4), torch.randint(0, 3, (5,))) for _ in range(3)]
student.trainer.run(batches, max_epochs=2)
student.evaluator.run(batches)
