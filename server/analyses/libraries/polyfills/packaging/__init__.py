"""packaging 24 to 26."""
