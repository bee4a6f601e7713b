from .pool import Pool
