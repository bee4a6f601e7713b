"""`python -m tests.fixes`: see `every.py`."""

import sys

from .every import main

if __name__ == "__main__":
    sys.exit(main())
