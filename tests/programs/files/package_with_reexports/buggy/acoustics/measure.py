def loudness(wave):
    return wave.pow(2).mean().sqrt()  # saved
