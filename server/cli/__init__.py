"""The command line: one file for each command, and one for each output format (`formats/`).

Imports `workspace` and what is below it, late, because a short run is mostly imports. Begin reading with `main.py`
(which command is meant), then `check.py`.
"""
