import torch
import torch.nn.functional as F

from records import Losses


class Trainer:
    def __init__(self, generator, critic):
        self.nets = {"critic": critic, "generator": generator}
        self.optimizers = {name: torch.optim.Adam(net.parameters(), lr=1e-3) for name, net in self.nets.items()}

    def loss(self, name, real, fake):
        critic = self.nets["critic"]
        if name == "generator":
            return F.softplus(-critic(fake)).mean()
        return F.softplus(-critic(real)).mean() + F.softplus(critic(fake.detach())).mean()

    def train_step(self, real):
        record = Losses()
        fake = self.nets["generator"](torch.randn(len(real), 3))
        for name, _ in record.items():
            setattr(record, name, self.loss(name, real, fake))
            loss = getattr(record, name)
            self.optimizers[name].zero_grad()
            loss.backward()
            self.optimizers[name].step()
            record.shown[name] = loss.item()
        return record
