"""Models of Python's own library."""
