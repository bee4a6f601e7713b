"""What every room above speaks of: values and unknowns, the paths of the program, the report.

Imports no other room of `analyses`. Begin reading with `values.py` (what a variable can hold), then `paths.py`
(how changes are undone, and what is known on which path); `report.py` is what comes out.
"""
