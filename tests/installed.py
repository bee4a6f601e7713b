"""The facts of the PyTorch that judges the tests: `make releases` runs them on other releases, too."""

from importlib.metadata import version

from gradguard.facts import releases

FACTS = releases.of(releases.nearest(version("torch")))
