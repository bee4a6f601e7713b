"""Models of PyTorch, where facts alone don't say enough."""
