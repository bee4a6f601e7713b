"""Finds the in-place tensor operations that break PyTorch's backward pass, as you type."""
