"""Builds the site strictly: `python -m website`. A warning, such as a link that leads nowhere, is an error."""

from __future__ import annotations

import logging
import sys
from pathlib import Path

from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.exceptions import Abort

from . import ROOT
from .gather import gather, navigation


def main() -> int:
    """Gather the pages and build them; the exit status is 1 if MkDocs warned."""
    logging.basicConfig(format="%(levelname)s %(message)s", level=logging.WARNING)
    gather(ROOT / "build" / "website")
    config = load_config(str(ROOT / "mkdocs.yml"), strict=True, nav=navigation())
    config.plugins.run_event("startup", command="build", dirty=False)
    try:
        build(config)
    except Abort as problem:
        print(problem, file=sys.stderr)
        return 1
    finally:
        config.plugins.run_event("shutdown")
    if not config.site_url:  # a sitemap has addresses
        for path in Path(config.site_dir).glob("sitemap.xml*"):
            path.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main())
