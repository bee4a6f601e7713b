def scaled(gram, factor):
    gram *= factor  # changed
    return gram


def scaled_copy(gram, factor):
    return gram * factor
