def compress_(wave, ratio):
    """Compress in place."""
    return wave.mul_(ratio)


def compressed(wave, ratio):
    return wave * ratio
