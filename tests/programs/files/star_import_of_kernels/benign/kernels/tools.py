def scaled(gram, factor):
    gram *= factor
    return gram


def scaled_copy(gram, factor):
    return gram * factor
