"""Files, configuration, suppressions, and how modules of a project find each other."""
