def to_unit(values):
    return values / values.detach().max()
