"""The command line: one file per command, one per output format."""
