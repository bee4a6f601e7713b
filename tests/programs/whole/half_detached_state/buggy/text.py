from functools import lru_cache

import torch

DIRECTIONS = "enter two heralds. exit the duke. lights dim slowly."


@lru_cache(maxsize=None)
def alphabet():
    return sorted(set(DIRECTIONS))


def chunks(length, batch):
    codes = torch.tensor([alphabet().index(letter) for letter in DIRECTIONS])
    rows = codes[: len(codes) // batch * batch].view(batch, -1)
    for start in range(0, rows.size(1) - length - 1, length):
        yield rows[:, start : start + length], rows[:, start + 1 : start + length + 1]
