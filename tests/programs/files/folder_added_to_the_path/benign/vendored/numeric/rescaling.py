def to_unit(values):
    values /= values.detach().max()
    return values
