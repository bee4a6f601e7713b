"""Exit statuses: nothing found; something found; wrong usage or configuration, or an internal error."""

OK, FOUND, FAILED = range(3)
