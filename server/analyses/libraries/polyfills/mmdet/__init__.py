"""MMDetection 3: registries, whose classes a project adds its own to."""
