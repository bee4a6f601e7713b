import torch

from nets import Critic, Generator


def switch(net, on):
    for p in net.parameters():
        p.requires_grad_(on)


def penalty(critic, real, fake):
    mix = torch.rand(len(real), 1)
    between = mix * real + (1 - mix) * fake
    between = between.detach().requires_grad_(True)
    score = critic(between)
    (slope,) = torch.autograd.grad(score, between, torch.ones_like(score), create_graph=True, retain_graph=True)
    return ((slope.norm(2, dim=1) - 1) ** 2).mean()


def main(rounds=2, critic_rounds=2):
    torch.manual_seed(0)
    generator, critic = Generator(), Critic()
    fast = torch.optim.Adam(critic.parameters(), lr=1e-3, betas=(0.0, 0.9))
    slow = torch.optim.Adam(generator.parameters(), lr=1e-3, betas=(0.0, 0.9))
    one = torch.tensor(1.0)
    for _ in range(rounds):
        switch(critic, True)
        for _ in range(critic_rounds):
            real = torch.randn(6, 2).add_(2.0)
            fast.zero_grad()
            on_real = critic(real).mean()
            on_real.backward(-one)
            with torch.no_grad():
                fake = generator.sample(6)
            fake += 0.01 * torch.randn_like(fake)
            on_fake = critic(fake).mean()
            on_fake.backward(one)
            extra = 10 * penalty(critic, real, fake)
            extra.backward()
            fast.step()
            critic.tighten(5.0)
        switch(critic, False)
        slow.zero_grad()
        goal = critic(generator.sample(6)).mean()
        goal.backward(-one)
        slow.step()
        print((on_real - on_fake).item(), extra.item())


main()
