"""The language server: one file for each feature of the protocol.

Imports `workspace` and what is below it; the one room that knows pygls and lsprotocol. Begin reading with `hover.py`, a
feature like all others, then `host.py` (what features ask of the server), `documents.py` (open texts, and when they are
analysed) and `server.py` (the life cycle).
"""
