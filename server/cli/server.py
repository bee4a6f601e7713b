"""Run the language server, for editors."""

from __future__ import annotations

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `gradguard server` takes."""
    parser.add_argument("--tcp", type=_address, metavar="HOST:PORT", help="listen there instead of talking over stdio")


def run(args: argparse.Namespace) -> int:
    """Serve until the client says goodbye; 1 if it left without asking the server to shut down."""
    from ..lsp.server import main

    return main(args.tcp)


def _address(text: str) -> tuple[str, int]:
    """Argparse type: a host and a port; the host may be an IPv6 address in brackets."""
    host, colon, port = text.rpartition(":")
    if not colon or not port.isdecimal() or int(port) > 65535:
        raise argparse.ArgumentTypeError(f"`{text}` is not HOST:PORT")
    return host.strip("[]") or "127.0.0.1", int(port)
