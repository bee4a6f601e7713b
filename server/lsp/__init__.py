"""The language server: one file for each feature of the protocol.

Imports `workspace` and what is below it. No other room knows pygls and lsprotocol. Start reading at `hover.py`, a
typical feature; then read `host.py` (what features ask of the server), `documents.py` (the open texts, and when they
are analysed) and `server.py` (the life cycle).
"""
