def blank(hidden, padded):
    """Zero the padded steps."""
    return hidden.masked_fill(padded.unsqueeze(-1), 0.0)
