"""e3nn 0.6: equivariant operations (`e3nn/o3`)."""
