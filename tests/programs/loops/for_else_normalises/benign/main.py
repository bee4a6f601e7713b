"""Log-probabilities of classes, averaged unless an unknown class is among the targets."""
import torch

UNKNOWN = 1


def log_probabilities(logits, targets):
    scores = torch.log_softmax(logits, dim=1)
    for label in targets:
        if label == UNKNOWN:
            break
    else:
        scores /= len(targets)
    return scores


torch.manual_seed(0)
logits = torch.randn(3, 4, requires_grad=True)
targets = [1, 0, 2]
scores = log_probabilities(logits, targets)
loss = -scores.gather(1, torch.tensor(targets)[:, None]).sum()
loss.backward()
print(logits.grad)
