def run(value):
    value[value < 0] = 0.0
    return value
