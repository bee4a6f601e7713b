import torch
import torch.nn.functional as F

from records import Losses


class Trainer:
    def __init__(self, generator, critic):
        self.nets = {"critic": critic, "generator": generator}
        self.optimizers = {name: torch.optim.Adam(net.parameters(), lr=1e-3) for name, net in self.nets.items()}

    def losses(self, real):
        critic, generator = self.nets["critic"], self.nets["generator"]
        fake = generator(torch.randn(len(real), 3))
        on_real, on_fake = critic(real), critic(fake.detach())
        fooled = critic(fake)  # saved
        return Losses(
            critic=F.softplus(-on_real).mean() + F.softplus(on_fake).mean(),
            generator=F.softplus(-fooled).mean(),
        )

    def train_step(self, real):
        record = self.losses(real)
        for name, loss in record.items():
            self.optimizers[name].zero_grad()
            loss.backward()
            self.optimizers[name].step()  # changed
            record.shown[name] = loss.item()
        return record
