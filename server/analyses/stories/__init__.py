"""What a person needs to follow: who saved a tensor, who changed it, the rows of versions.

Imports `domain` and `autograd`. Begin reading with `explain.py`.
"""
