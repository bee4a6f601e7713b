"""The tool that measures the tables of facts: it runs PyTorch's callables, and sees what they do.

Imports PyTorch and the readers of the tables, which import nothing of it. Begin reading with `__main__.py`, which calls
the other files: `catalogue.py` (what is measured), `samples.py` (with which arguments), `probe.py` (what one call does)
and `condense.py` (a fact from many calls). Each further table has a file of its reader's name (`gradients.py`, …).
All of it runs in processes of their own (`apart.py`), because some calls crash PyTorch.
"""
