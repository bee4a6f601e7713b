"""What PyTorch's callables save, change, alias and return."""
