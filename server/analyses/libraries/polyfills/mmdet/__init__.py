"""MMDetection 3: registries, to which a project adds its own classes."""
