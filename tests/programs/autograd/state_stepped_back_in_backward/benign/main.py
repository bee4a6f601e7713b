import torch
from torch import nn


def flat(ts):
    return torch.cat([t.reshape(-1) for t in ts])


class Adjoint(torch.autograd.Function):
    """Fixed-step Euler with the adjoint method: states are integrated back, nothing is stored."""

    @staticmethod
    def forward(ctx, z, field, dt, steps, *params):
        ctx.field, ctx.dt, ctx.steps = field, dt, steps
        with torch.no_grad():
            for k in range(steps):
                z = z + dt * field(k * dt, z)
        ctx.save_for_backward(z)
        return z

    @staticmethod
    def backward(ctx, a):
        (z,) = ctx.saved_tensors
        field, dt = ctx.field, ctx.dt
        params = tuple(field.parameters())
        total = [torch.zeros_like(p) for p in params]
        with torch.enable_grad():
            z = z.detach().requires_grad_()
            for k in reversed(range(ctx.steps)):
                f = field(k * dt, z)
                grads = torch.autograd.grad(f, (z, *params), a)
                a = a + dt * grads[0]
                for t, g in zip(total, grads[1:]):
                    t.add_(g, alpha=dt)
                with torch.no_grad():
                    z -= dt * f
        return (a, None, None, None, *total)


class Field(nn.Module):
    def __init__(self, dim=2, hidden=10):
        super().__init__()
        self.a, self.b = nn.Linear(dim + 1, hidden), nn.Linear(hidden, dim)
        self.evals = 0

    def forward(self, t, z):
        self.evals += 1
        tt = torch.full_like(z[:, :1], t)
        return self.b(torch.nn.functional.elu(self.a(torch.cat([z, tt], 1))))


class ODEBlock(nn.Module):
    def __init__(self, field, horizon=1.0, steps=4):
        super().__init__()
        self.field, self.dt, self.steps = field, horizon / steps, steps

    def forward(self, z0):
        return Adjoint.apply(z0, self.field, self.dt, self.steps, *self.field.parameters())


def spirals(n):
    r = torch.rand(n, 1)
    sign = torch.randint(0, 2, (n,))
    ang = 6 * r + sign[:, None] * 3.14
    return torch.cat([r * ang.cos(), r * ang.sin()], 1), sign


if __name__ == "__main__":
    torch.manual_seed(0)
    model = nn.Sequential(ODEBlock(Field()), nn.Linear(2, 2))
    opt = torch.optim.Adam(model.parameters(), 1e-2)
    for it in range(2):
        x, y = spirals(16)
        loss = nn.functional.cross_entropy(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(it, loss.item(), model[0].field.evals)
