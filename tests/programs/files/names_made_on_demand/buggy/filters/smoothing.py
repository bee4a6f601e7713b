def damp(field):
    return field.mul_(0.9)  # changed
