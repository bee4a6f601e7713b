import torch
from ignite.engine import Engine, Events
from torch import nn

netG = nn.Sequential(nn.Linear(4, 8), nn.ReLU(True), nn.Linear(8, 3))
netD = nn.Sequential(nn.Linear(3, 8), nn.LeakyReLU(0.2, inplace=True), nn.Linear(8, 1))
bce = nn.BCEWithLogitsLoss()
optG = torch.optim.Adam(netG.parameters(), lr=2e-4)
optD = torch.optim.Adam(netD.parameters(), lr=2e-4)


def step(engine, real):
    fake = netG(torch.randn(real.size(0), 4))
    errD = bce(netD(real), torch.ones(real.size(0), 1)) + bce(netD(fake.detach()), torch.zeros(real.size(0), 1))

    optD.zero_grad()
    errD.backward()
    optD.step()

    fake_out = netD(fake)
    errG = bce(fake_out, torch.ones_like(fake_out))
    optG.zero_grad()
    errG.backward()
    optG.step()
    return {"errD": errD.item(), "errG": errG.item()}


trainer = Engine(step)


@trainer.on(Events.ITERATION_COMPLETED(every=2))
def log(engine):
    print(engine.state.iteration, engine.state.output["errD"])


trainer.run([torch.randn(4, 3) for _ in range(2)], max_epochs=1)
