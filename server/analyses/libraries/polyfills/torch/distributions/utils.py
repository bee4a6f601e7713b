"""What distributions share: broadcast parameters, and probabilities beside logits."""

import torch
from gradguard import known


def broadcast_all(*values):
    """The parameters as tensors of one shape; what isn't known to be a tensor or a number stays as it is."""
    given = [torch.tensor(float(v)) if known(v) and isinstance(v, (int, float)) else v for v in values]
    if all(known(v) and isinstance(v, torch.Tensor) for v in given):
        return torch.broadcast_tensors(*given)
    return given


def clamp_probs(probs):
    return probs.clamp(min=1.1920928955078125e-07, max=1 - 1.1920928955078125e-07)


def logits_to_probs(logits, is_binary=False):
    return torch.sigmoid(logits) if is_binary else torch.nn.functional.softmax(logits, dim=-1)


def probs_to_logits(probs, is_binary=False):
    clamped = clamp_probs(probs)
    return torch.log(clamped) - torch.log1p(-clamped) if is_binary else torch.log(clamped)


def sum_rightmost(value, dim):
    """The sum over the last `dim` dimensions; a view is summed where they are several."""
    if known(dim) and dim == 0:
        return value
    if known(dim) and dim == 1:
        return value.sum(-1)
    return value.reshape((*value.shape[:-dim], -1)).sum(-1)
