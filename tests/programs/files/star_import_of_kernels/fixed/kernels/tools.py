def scaled(gram, factor):
    return gram * factor


def scaled_copy(gram, factor):
    return gram * factor
