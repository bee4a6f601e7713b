def damp(field):
    return field.mul(0.9)
