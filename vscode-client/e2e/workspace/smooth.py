import torch

def smooth(logits: torch.Tensor, rounds: int):
    probs = torch.softmax(logits, -1)
    if rounds > 1:
        probs *= 0.9
    probs.log().sum().backward()
