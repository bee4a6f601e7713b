"""Songs of birds in runs of equal length, as they come from the field."""
from itertools import groupby

import torch

torch.manual_seed(1)
scale = torch.tensor(2.0, requires_grad=True)
songs = [torch.rand(n) * scale + 1.0 for n in (3, 3, 5, 5, 5, 2)]
loss = torch.zeros(())
for length, run in groupby(songs, key=len):
    run = list(run)
    for song in run:
        loss = loss + song.log().sum()
    if length == 7:
        run[-1].add_(0.1)
loss.backward()
