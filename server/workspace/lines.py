"""The lines of a text, by the line ends that Python knows: LF, CRLF and a lone CR."""

from __future__ import annotations

import re
from bisect import bisect_right


class Lines:
    """Lines and offsets of one text, all 0-based and in code points."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.starts = [0, *(match.end() for match in re.finditer(r"\r\n|\r|\n", text))]

    def __len__(self) -> int:
        return len(self.starts)

    def __getitem__(self, line: int) -> str:
        """The line without its end; empty beyond the text."""
        if line >= len(self.starts):
            return ""
        end = self.starts[line + 1] if line + 1 < len(self.starts) else len(self._text)
        return self._text[self.starts[line] : end].rstrip("\r\n")

    def position(self, offset: int) -> tuple[int, int]:
        """The line and column of an offset."""
        line = bisect_right(self.starts, offset) - 1
        return line, offset - self.starts[line]
