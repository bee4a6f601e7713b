from .compressor import compress_


def compress(wave, ratio):
    return compress_(wave.clone(), ratio)
