"""From the text of a file to its lowered statements, chunk by chunk, with positions.

The one room that knows libcst. Imports no other room. Begin reading with `ir.py` (the records that everybody else
reads), then `chunks.py` (`parse`, and what an edit leaves as it was) and `lower.py` (from libcst to the records).
"""
