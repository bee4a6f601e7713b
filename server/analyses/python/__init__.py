"""The interpreter of the program's text: statements, expressions, calls, classes, loops.

Imports every room but `libraries` and `program`. Begin reading with `machine.py` (what it is made of), then
`statements.py` and `expressions.py`.
"""
