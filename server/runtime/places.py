"""Where the program is: the frames of its own code, cheap to note at every operation, and told when something fails.

The code of PyTorch, of Python's library and of GradGuard is left out. A trail is a row of pairs, a number of a code
object and the instruction that runs in it, innermost first; the same trail is one object, however often it is noted.
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
"""so many frames of the program are noted at most"""

FORWARDS = ("forward", "setup_context")
"""the methods that a custom Function is applied by"""

OWN = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


class Places:
    """Knows which code is the program's. `torch` is the folder of PyTorch.

    The forward of each custom Function, of those that are derived from `function`, is noted, too: what the Function
    saves is saved by its caller.
    """

    def __init__(self, torch: str, function: type) -> None:
        paths = sysconfig.get_paths()
        self.watched = (torch + os.sep, OWN)
        self.packages = tuple({paths["purelib"] + os.sep, paths["platlib"] + os.sep})
        self.python = tuple({paths[name] + os.sep for name in ("stdlib", "platstdlib", "scripts")})
        self.codes: list[CodeType] = []
        self.numbers: dict[int, int] = {}
        """by the `id` of a code object its number, -1 for one that is not noted; `kept` keeps all alive"""
        self.kept: list[CodeType] = []
        self.trails: dict[Trail, Trail] = {}
        self.steps = torch + os.sep + "optim" + os.sep
        self.function = function
        self.forwards = set[int]()
        """the numbers of the code of Functions' forwards"""
        self.stepping = set[int]()
        """the numbers of the code of optimizers' `step`, which is noted, too"""
        self.hidden = set[int]()
        """the numbers of noted code that is not the program's"""

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
        """Whether a trail ends in an optimizer's `step`; a closure that it calls is none."""
        return bool(trail) and trail[0] in self.stepping

    def is_program(self, path: str) -> bool:
        """Whether a file is neither PyTorch's nor Python's nor ours; packages that are installed are the program's."""
        if path.startswith("<"):
            return path.startswith("<ipython")
        if path.startswith(self.watched):
            return False
        return path.startswith(self.packages) or not path.startswith(self.python)

    def is_own(self, path: str) -> bool:
        """Whether a file is the user's, and not an installed package's."""
        return not path.startswith(self.packages)

    def called(self, trail: Trail) -> Trail:
        """Of a trail to an operation inside a custom Function's forward, the part that leads to the Function's call."""
        for index in range(0, len(trail), 2):
            if trail[index] in self.forwards:
                return trail[index + 2 :]
        return trail

    def stack(self, trail: Trail) -> tuple[Spot, ...]:
        """The places of a trail in the user's own code, outermost first; in any code if none is."""
        pairs = zip(islice(trail, 0, None, 2), islice(trail, 1, None, 2), strict=True)
        own = [pair for pair in pairs if pair[0] not in self.hidden]
        return self.owned([spot(self.codes[number], lasti) for number, lasti in reversed(own)])

    def of_traceback(self, traceback: TracebackType | None) -> tuple[Spot, ...]:
        """The places of the program in a traceback, outermost first, as `stack` tells them."""
        spots = []
        while traceback is not None:
            code = traceback.tb_frame.f_code
            if self.is_program(code.co_filename):
                spots.append(spot(code, traceback.tb_lasti, traceback.tb_lineno))
            traceback = traceback.tb_next
        return self.owned(spots)

    def owned(self, spots: list[Spot]) -> tuple[Spot, ...]:
        """The spots that are in the user's own code; all if none is."""
        return tuple([one for one in spots if self.is_own(one.path)] or spots)


def _derived(kind: Any) -> Iterator[Any]:
    for one in kind.__subclasses__():
        yield one
        yield from _derived(one)


def _forwards(kind: Any) -> Iterator[CodeType]:
    """The code that a custom Function runs when it is applied; what decorators have wrapped, too."""
    for name in FORWARDS:
        function = getattr(kind, name, None)
        while function is not None:
            code = getattr(function, "__code__", None)
            if code is not None:
                yield code
            function = getattr(function, "__wrapped__", None)


def spot(code: CodeType, lasti: int, line: int | None = None) -> Spot:
    """The place of an instruction."""
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
    """The range of the expression that an instruction belongs to; Python tells it from 3.11 on, in bytes of UTF-8."""
    if sys.version_info < (3, 11):
        return None
    line, end_line, column, end_column = next(islice(code.co_positions(), lasti // 2, None), (None,) * 4)
    if line is None or end_line is None or column is None or end_column is None:
        return None
    return line - 1, _points(code, line, column), end_line - 1, _points(code, end_line, end_column)


def _points(code: CodeType, line: int, column: int) -> int:
    """A column in code points, of one in bytes."""
    return len(linecache.getline(code.co_filename, line).encode()[:column].decode(errors="ignore"))
