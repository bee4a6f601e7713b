"""e3nn: equivariant operations (`e3nn/o3`)."""
