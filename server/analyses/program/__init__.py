"""A program from its first statement to its last entry point, step by step, and again after an edit.

Imports every other room. Begin reading with `session.py`; `entries.py` chooses what is called from outside.
"""
