"""The language server: one file per feature of the protocol."""
