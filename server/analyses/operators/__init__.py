"""From a call of PyTorch to its effect, by the measured facts.

Imports `domain`, `autograd`, `shapes` and `stories`. Begin reading with `replay.py`: what one operator does, in the
order in which PyTorch does it; `calls_by_name.py` is the way there.
"""
