"""What a person needs to follow: who saved a tensor, who changed it, the rows of versions.

Imports `domain` and `autograd`. Begin reading with `explain.py`, the parts of a failure; `trace.py` makes what editors
show beside names.
"""
