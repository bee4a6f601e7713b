"""The tool that measures the table of facts; the only part of GradGuard that imports PyTorch."""
