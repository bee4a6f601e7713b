"""Synthetic fabric defects: generator and critic, with the losses kept in a record."""
import torch

from nets import make_critic, make_generator
from records import Losses
from trainer import Trainer

if __name__ == "__main__":
    torch.manual_seed(1)
    trainer = Trainer(make_generator(code=3, size=4), make_critic(size=4))
    for _ in range(2):
        record = trainer.train_step(torch.rand(5, 1, 4, 4))
        assert isinstance(record, Losses)
        print(record.summary())
