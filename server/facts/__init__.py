"""What PyTorch's callables save, change, alias and return: the measured tables, and their readers.

Imports no other room, and PyTorch only in `measure/`, the tool that asks PyTorch and writes the tables. Begin reading
with `model.py` (what a fact says), then `table.py` (how one is found). The way in is `releases.py`:
`of("2.13").table.find("torch.exp")` says that `exp` saves its result. Each other table has a reader of its name.
"""
