"""What PyTorch's callables save, change, alias and return: tables that were measured, and their readers.

Imports no other room. Begin reading with `model.py` (what a fact says) and `table.py` (how one is found); `measure/` is
the tool that asks PyTorch and writes the tables, and the only place that imports it.
"""
