"""Run the language server, for editors."""

from __future__ import annotations

import argparse
import ipaddress
import os
import sys

from .status import FAILED


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `gradguard server` takes."""
    parser.add_argument("--tcp", type=_address, metavar="HOST:PORT", help="serve the first client that comes there")


def run(args: argparse.Namespace) -> int:
    """Serve until the client exits; 1 if it did so without asking the server to shut down."""
    token = os.environ.get("GRADGUARD_TOKEN") if args.tcp else None
    if args.tcp and not token and not _is_loopback(args.tcp[0]):
        print(
            f"gradguard: others can reach {args.tcp[0]}: set GRADGUARD_TOKEN to something that only the client knows, "
            "which sends it as `token` in its initializationOptions",
            file=sys.stderr,
        )
        return FAILED
    from ..lsp.server import main

    try:
        return main(args.tcp, token)
    except OSError as error:
        print(f"gradguard: cannot listen there: {error.strerror or error}", file=sys.stderr)
        return FAILED


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _address(text: str) -> tuple[str, int]:
    """Argparse type: a host and a port; the host may be an IPv6 address in brackets."""
    host, colon, port = text.rpartition(":")
    if not colon or not port.isdecimal() or int(port) > 65535:
        raise argparse.ArgumentTypeError(f"`{text}` is not HOST:PORT")
    return host.strip("[]") or "127.0.0.1", int(port)
