def run(value):
    return value.neg()
