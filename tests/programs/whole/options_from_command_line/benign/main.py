"""Soil moisture from rainfall, one cell per field."""
import argparse

import numpy as np
import torch
import torch.nn.functional as F

from cells import ACTIVATIONS, MoistureNet


def arguments(argv=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("--activation", choices=sorted(ACTIVATIONS), default="elu")
    parser.add_argument("--width", type=int, default=4)
    parser.add_argument("--steps", type=int, default=2)
    return parser.parse_args(argv)


def rainfall(days, fields, rng):
    wet = rng.random((days, fields)) > 0.6
    return (wet * rng.gamma(2.0, 1.0, (days, fields))).astype(np.float32)


def run(args):
    rng = np.random.default_rng(0)
    torch.manual_seed(0)
    net = MoistureNet(args.width, args.activation)
    optimizer = torch.optim.RMSprop(net.parameters(), lr=1e-3)
    for step in range(args.steps):
        rain = torch.from_numpy(rainfall(6, 3, rng))
        moisture = rain.cumsum(0) / torch.arange(1, 7)[:, None]
        predicted = net(rain)
        loss = F.smooth_l1_loss(predicted, moisture)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(step, round(loss.item(), 4))


if __name__ == "__main__":
    run(arguments())
