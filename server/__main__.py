"""`python -m gradguard` is the command `gradguard`."""

import os
import sys

if __name__ == "__main__":
    if not getattr(sys.flags, "safe_path", False) and sys.path[0] == os.getcwd():
        # `-m` puts the folder that it runs in first: a `typing.py` of the program that is checked is not for us.
        del sys.path[0]

    from .cli.main import main

    sys.exit(main())
