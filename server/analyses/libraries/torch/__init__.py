"""Models of PyTorch where facts alone cannot tell."""
