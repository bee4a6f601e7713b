from .compressor import compress_ as compress
