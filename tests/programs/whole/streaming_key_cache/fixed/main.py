"""Notes from audio frames, one frame at a time."""
import torch
import torch.nn.functional as F

from layers import Transcriber


def phrase(frames, batch=2, bands=6):
    notes = torch.arange(frames).remainder(3).expand(batch, frames)
    audio = F.one_hot(notes, bands).float() + 0.1 * torch.randn(batch, frames, bands)
    return audio, notes


def main(frames=4, steps=2):
    torch.manual_seed(0)
    net = Transcriber(bands=6, width=4, notes=3, longest=frames)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(steps):
        audio, notes = phrase(frames)
        net.reset(batch=audio.size(0))
        logits = [net.step(frame) for frame in audio.unbind(dim=1)]
        loss = F.cross_entropy(torch.stack(logits, dim=1).flatten(0, 1), notes.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(loss.item())


if __name__ == "__main__":
    main()
