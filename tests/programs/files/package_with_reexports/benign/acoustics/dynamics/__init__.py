from .compressor import compressed as compress
