"""torchdiffeq 0.2: a solver calls the function again and again. Only the adjoint one saves anything: its result."""

import torch
from gradguard import linked
from torch import nn


def solved(func, y0, t):
    """The solution after two steps."""
    y1 = y0 + func(t[0], y0) * (t[1] - t[0])
    y2 = y1 + func(t[1], y1) * (t[-1] - t[1])
    return torch.stack([y0, y1, y2])


def odeint(func, y0, t, *, rtol=1e-7, atol=1e-9, method=None, options=None, event_fn=None):
    if isinstance(y0, tuple):
        func(t[0], y0)
        return tuple(linked(*y0, *parameters(func)) for one in y0)
    return solved(func, y0, t)


def odeint_adjoint(func, y0, t, *, adjoint_params=None, **kwargs):
    params = parameters(func) if adjoint_params is None else list(adjoint_params)
    given = y0 if isinstance(y0, tuple) else (y0,)
    with torch.no_grad():
        func(t[0], y0)
    found = tuple(linked(*given, t, *params, saves=params, saves_result=True) for one in given)
    return found if isinstance(y0, tuple) else found[0]


def parameters(func):
    return list(func.parameters()) if isinstance(func, nn.Module) else []
