import torch


class Springs:
    def __init__(self, count, stiffness, damping):
        self.count = count
        self.stiffness, self.damping = stiffness, damping

    def forces(self, place, speed):
        stretch = place[1:] - place[:-1] - 1.0
        pull = torch.zeros(self.count)
        pull[:-1] += self.stiffness * stretch
        pull[1:] -= self.stiffness * stretch
        pull -= self.damping * speed
        pull[0] = 0.0
        return pull

    def run(self, place, speed, steps, dt=0.05):
        places, table = [place], torch.zeros(steps, self.count)
        for step in range(steps):
            speed = speed + dt * self.forces(place, speed)
            place = place + dt * speed
            places.append(place)
            table[step] = place.detach()
        return torch.stack(places), table


def fit(target, rounds=3, rate=0.5):
    stiffness = torch.tensor(2.0, requires_grad=True)
    damping = torch.tensor(0.1, requires_grad=True)
    velocity = {id(p): torch.zeros_like(p) for p in (stiffness, damping)}
    history = torch.empty(rounds)
    for number in range(rounds):
        springs = Springs(4, stiffness, damping)
        start = torch.arange(4.0)
        start[-1] += 0.5
        path, table = springs.run(start, torch.zeros(4), steps=6)
        table -= table.mean(dim=0)
        loss = (path[-1] - target).square().sum()
        loss += 1e-3 * stiffness**2
        loss.backward()
        history[number] = loss.item()
        with torch.no_grad():
            for p in (stiffness, damping):
                moved = velocity[id(p)]
                moved *= 0.5
                moved += p.grad
                p -= rate * moved
                p.clamp_(min=0.0)
                p.grad.zero_()
    return stiffness.item(), damping.item(), history


target = torch.tensor([0.0, 1.05, 2.1, 3.3])
stiffness, damping, history = fit(target)
history /= history[0].clone()
print(stiffness, damping, history.tolist())
