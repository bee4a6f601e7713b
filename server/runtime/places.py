"""Where the program is: the frames of its own code, cheap to note at each operation, looked up when something fails.

The code of PyTorch, of Python's library and of GradGuard is left out. A trail is a flat tuple of pairs, the number of a
code object and the offset of the instruction that runs in it, innermost first. Equal trails are one object.

    train() calls step(), which calls x.exp()   →   (number of step, its offset, number of train, its offset)
"""

from __future__ import annotations

import linecache
import os
import sys
import sysconfig
from itertools import islice
from typing import TYPE_CHECKING, Any

from ..workspace.record import Range, Spot

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import CodeType, FrameType, TracebackType

Trail = tuple[int, ...]

DEEPEST = 64
"""how many frames of the program are noted at most: the innermost"""

FORWARDS = ("forward", "setup_context")
"""the methods of a custom Function that run when it is applied"""

OWN = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


class Places:
    """Knows which code is the program's. `torch` is the folder of PyTorch, `function` the class of custom Functions.

    The forward of each custom Function is noted, even if it isn't the program's: what it saves is reported as saved by
    the call of the Function (`called`).
    """

    def __init__(self, torch: str, function: type) -> None:
        paths = sysconfig.get_paths()
        self.watched = (torch + os.sep, OWN)
        self.packages = tuple({paths["purelib"] + os.sep, paths["platlib"] + os.sep})
        self.python = tuple({paths[name] + os.sep for name in ("stdlib", "platstdlib", "scripts")})
        self.codes: list[CodeType] = []
        self.numbers: dict[int, int] = {}
        """the number of each code object by its `id`, -1 for one that isn't noted; `kept` keeps them alive"""
        self.kept: list[CodeType] = []
        self.trails: dict[Trail, Trail] = {}
        self.steps = torch + os.sep + "optim" + os.sep
        self.function = function
        self.forwards = set[int]()
        """the numbers of the code of custom Functions' forwards"""
        self.stepping = set[int]()
        """the numbers of the code of optimizers' `step`, which is noted, too"""
        self.hidden = set[int]()
        """the numbers of code that is noted although it isn't the program's"""

    def trail(self, frame: FrameType | None) -> Trail:
        """The trail that leads to a frame."""
        found: list[int] = []
        numbers = self.numbers
        while frame is not None:
            code = frame.f_code
            number = numbers.get(id(code))
            if number is None:
                number = self._number(code)
            if number >= 0:
                found += (number, frame.f_lasti)
            frame = frame.f_back
        trail = tuple(found[: 2 * DEEPEST])
        return self.trails.setdefault(trail, trail)

    def _number(self, code: CodeType) -> int:
        self.kept.append(code)
        is_program, is_step, is_forward = self.is_program(code.co_filename), self._is_step(code), self._is_forward(code)
        number = self.numbers[id(code)] = len(self.codes) if is_program or is_step or is_forward else -1
        if number < 0:
            return number
        self.codes.append(code)
        kinds = (self.stepping, is_step), (self.forwards, is_forward), (self.hidden, not is_program)
        for numbers, is_one in kinds:
            if is_one:
                numbers.add(number)
        return number

    def _is_forward(self, code: CodeType) -> bool:
        is_named = code.co_name in FORWARDS
        return is_named and any(code is one for kind in _derived(self.function) for one in _forwards(kind))

    def _is_step(self, code: CodeType) -> bool:
        return code.co_name == "step" and code.co_filename.startswith(self.steps)

    def is_step(self, trail: Trail) -> bool:
        """Whether the innermost frame of a trail is an optimizer's `step`, not a closure that it calls."""
        return bool(trail) and trail[0] in self.stepping

    def is_program(self, path: str) -> bool:
        """Whether a file is neither PyTorch's nor Python's nor ours; an installed package is part of the program."""
        if path.startswith("<"):
            return path.startswith("<ipython")
        if path.startswith(self.watched):
            return False
        return path.startswith(self.packages) or not path.startswith(self.python)

    def is_own(self, path: str) -> bool:
        """Whether a file is the user's own, not an installed package's."""
        return not path.startswith(self.packages)

    def called(self, trail: Trail) -> Trail:
        """The part of a trail that leads to the call of the custom Function it is in; the whole trail if in none."""
        for index in range(0, len(trail), 2):
            if trail[index] in self.forwards:
                return trail[index + 2 :]
        return trail

    def stack(self, trail: Trail) -> tuple[Spot, ...]:
        """The spots of a trail in the user's own code, outermost first; if none is, those in packages."""
        pairs = zip(islice(trail, 0, None, 2), islice(trail, 1, None, 2), strict=True)
        own = [pair for pair in pairs if pair[0] not in self.hidden]
        return self.owned([spot(self.codes[number], lasti) for number, lasti in reversed(own)])

    def of_traceback(self, traceback: TracebackType | None) -> tuple[Spot, ...]:
        """The spots of a traceback in the user's own code, outermost first; if none is, those in packages."""
        spots = []
        while traceback is not None:
            code = traceback.tb_frame.f_code
            if self.is_program(code.co_filename):
                spots.append(spot(code, traceback.tb_lasti, traceback.tb_lineno))
            traceback = traceback.tb_next
        return self.owned(spots)

    def owned(self, spots: list[Spot]) -> tuple[Spot, ...]:
        """The spots in the user's own code; all of them if none is."""
        return tuple([one for one in spots if self.is_own(one.path)] or spots)


def _derived(kind: Any) -> Iterator[Any]:
    for one in kind.__subclasses__():
        yield one
        yield from _derived(one)


def _forwards(kind: Any) -> Iterator[CodeType]:
    """The code that a custom Function runs when it is applied, under any decorators, too."""
    for name in FORWARDS:
        function = getattr(kind, name, None)
        while function is not None:
            code = getattr(function, "__code__", None)
            if code is not None:
                yield code
            function = getattr(function, "__wrapped__", None)


def spot(code: CodeType, lasti: int, line: int | None = None) -> Spot:
    """The spot of an instruction: its file, line, function, the range of its expression and the line's text.

    `lasti` is the instruction's offset. `line` counts from 1; it is looked up if it isn't given.
    """
    reach = _range(code, lasti)
    if line is None:
        line = reach[0] + 1 if reach else _line(code, lasti)
    text = linecache.getline(code.co_filename, line).rstrip("\r\n")
    path = code.co_filename if code.co_filename.startswith("<") else os.path.abspath(code.co_filename)
    return Spot(path, line - 1, code.co_name, reach, text)


def _line(code: CodeType, lasti: int) -> int:
    found = (line for start, end, line in code.co_lines() if start <= lasti < end and line is not None)
    return next(found, code.co_firstlineno)


def _range(code: CodeType, lasti: int) -> Range | None:
    """The range of the expression that an instruction belongs to; None before Python 3.11, which doesn't know it."""
    if sys.version_info < (3, 11):
        return None
    line, end_line, column, end_column = next(islice(code.co_positions(), lasti // 2, None), (None,) * 4)
    if line is None or end_line is None or column is None or end_column is None:
        return None
    return line - 1, _points(code, line, column), end_line - 1, _points(code, end_line, end_column)


def _points(code: CodeType, line: int, column: int) -> int:
    """A column in code points, from one in bytes of UTF-8, in which Python counts."""
    return len(linecache.getline(code.co_filename, line).encode()[:column].decode(errors="ignore"))
