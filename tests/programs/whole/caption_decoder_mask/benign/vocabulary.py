import torch

WORDS = ["dim", "raise", "the", "left", "blue", "lamp"]


def encode(text):
    return torch.tensor([WORDS.index(word) for word in text.split()])
