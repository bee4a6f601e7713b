"""Files, configuration, suppressions, and how the modules of a project find each other.

Imports `fixes`, `rules`, `analyses` and what is below them, and knows neither editors nor terminals. Begin reading with
`project.py` (`Project.check`); `parts.py`, `batch.py` and `cache.py` do the same for large projects, in pieces.
"""
