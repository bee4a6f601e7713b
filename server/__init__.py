"""Finds the in-place tensor operations that break PyTorch's backward pass, by replaying autograd over the program text."""
