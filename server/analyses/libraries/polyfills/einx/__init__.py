"""einx 0.4: operations by a pattern of axes. What is only rearranged may be a view, what is computed is new."""

import einops
from gradguard import known, linked


def id(description, *tensors, **parameters):
    """Rearrange the axes of one tensor, join several tensors, or split one."""
    simple = len(tensors) == 1 and known(description) and not any(sign in description for sign in ",[+")
    if simple:
        return einops.rearrange(tensors[0], description, **parameters)
    count = description.split("->")[-1].count(",") + 1 if known(description) else 1
    made = tuple(linked(*tensors) for _ in range(count))
    return made if count > 1 else made[0]


rearrange = id


def dot(description, *tensors, **parameters):
    return linked(*tensors, saves=tensors)


def softmax(description, x, **parameters):
    return linked(x, saves_result=True)


log_softmax = softmax


def multiply(description, *tensors, **parameters):
    return linked(*tensors, saves=tensors)


def made(description, *tensors, **parameters):
    """An operation that saves nothing."""
    return linked(*tensors)


add = subtract = sum = mean = get_at = roll = flip = made
