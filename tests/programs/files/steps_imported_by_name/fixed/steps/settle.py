def run(value):
    return value.clamp(min=0.0)
