"""The values of literals, computed from their text and without `eval`."""

from __future__ import annotations

import re
import unicodedata

_prefix = re.compile(r"[A-Za-z]*")
_newline = re.compile(r"\r\n?")
_escape = re.compile(
    r"\\(?:(\n)|([0-7]{1,3})|x([0-9a-fA-F]{2})|N\{([^}]+)\}|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([\\'\"abfnrtv]))"
)
_byte_escape = re.compile(r"\\(?:(\n)|([0-7]{1,3})|x([0-9a-fA-F]{2})|([\\'\"abfnrtv]))")
_simple = {
    "\\": "\\",
    "'": "'",
    '"': '"',
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
}


def number(text: str) -> int | float | complex:
    """The value of an integer, float or imaginary literal. Raises ValueError for more digits than `int` takes."""
    digits = text.replace("_", "")
    if digits[-1] in "jJ":
        return complex(digits)
    try:
        return int(digits, 0)
    except ValueError:
        return float(digits) if not digits.isdigit() else int(digits)


def string(text: str) -> str | bytes:
    """The value of one string or bytes literal with its prefix and quotes. Raises ValueError for a bad escape."""
    prefix = _prefix.match(text).group().lower()  # type: ignore[union-attr]  # matches always
    start = len(prefix)
    quotes = 3 if text.startswith(('"""', "'''"), start) else 1
    return unescape(text[start + quotes : -quotes], prefix)


def unescape(text: str, prefix: str) -> str | bytes:
    """What stands between the quotes of a literal with this (lower-case) prefix, with its escapes replaced."""
    if "\r" in text:
        text = _newline.sub("\n", text)
    if "b" in prefix:
        if "\\" in text and "r" not in prefix:
            text = _byte_escape.sub(_replace_byte, text)
        return text.encode("latin-1")
    if "\\" in text and "r" not in prefix:
        text = _escape.sub(_replace, text)
    return text


def _replace(match: re.Match[str]) -> str:
    newline, octal, byte, name, short, long, simple = match.groups()
    if simple:
        return _simple[simple]
    if newline:
        return ""
    if octal:
        return chr(int(octal, 8))
    if name:
        return _named(name)
    return chr(int(byte or short or long, 16))


def _replace_byte(match: re.Match[str]) -> str:
    newline, octal, byte, simple = match.groups()
    if simple:
        return _simple[simple]
    if newline:
        return ""
    return chr(int(octal, 8) & 0xFF if octal else int(byte, 16))


def _named(name: str) -> str:
    try:
        return unicodedata.lookup(name)
    except KeyError as error:
        raise ValueError(f"unknown Unicode character name {name!r}") from error
