def run(value):
    value[value < 0] = 0.0  # changed
    return value
