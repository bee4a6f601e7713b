"""The server's description for JupyterLab: entry point `jupyter_lsp_spec_v1`, for the extension `jupyterlab-lsp`."""

from __future__ import annotations

import sys


def spec(manager: object) -> dict[str, dict[str, object]]:
    """Return the server's description in the form that the manager of jupyter-lsp expects."""
    return {
        "gradguard": {
            "version": 2,
            "display_name": "GradGuard",
            "argv": [sys.executable, "-m", "gradguard", "server"],
            "languages": ["python"],
            "mime_types": ["text/x-python", "text/x-ipython"],
            "install": {"pip": "pip install gradguard"},
        }
    }
