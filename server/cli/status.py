"""Exit statuses: nothing found; something found; wrong usage or configuration, or an internal error; Ctrl-C."""

OK, FOUND, FAILED = range(3)
INTERRUPTED = 130
