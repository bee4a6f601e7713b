"""Captions for stage lighting cues: a decoder with attention, trained by its own greedy choices."""
import torch
import torch.nn.functional as F

from decoder import Decoder
from vocabulary import WORDS, encode


def cues(batch=2, features=5):
    captions = torch.stack([encode("dim the left lamp"), encode("raise the blue lamp")])
    return torch.randn(batch, features), captions


def sequence_loss(logits, captions, smoothing=0.1):
    return F.cross_entropy(logits.flatten(0, 1), captions.flatten(), label_smoothing=smoothing)


def main(steps=2):
    torch.manual_seed(0)
    decoder = Decoder(features=5, width=6, words=len(WORDS), longest=4)
    optimizer = torch.optim.Adam(decoder.parameters(), lr=5e-3)
    for _ in range(steps):
        light, captions = cues()
        logits, said = decoder(light, steps=captions.size(1))
        loss = sequence_loss(logits, captions)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(loss.item(), (said == captions).float().mean().item())


if __name__ == "__main__":
    main()
