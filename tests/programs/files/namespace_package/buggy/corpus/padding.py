def blank(hidden, padded):
    """Zero the padded steps."""
    hidden[padded] = 0.0  # changed
    return hidden
