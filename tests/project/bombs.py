"""Short programs that ask for much: `python -m tests.project.bombs SEED COUNT` draws calls, and tells what they cost.

Each is replayed in this process, whose memory is limited. What takes more than its allowance, or is an internal error,
is printed; the exit status is 1 then. A call that never ends ends the process, with a traceback.
"""

from __future__ import annotations

import builtins
import collections
import faulthandler
import gc
import itertools
import math
import operator
import random
import resource
import sys
import time
from pathlib import Path

from gradguard.facts.model import ModuleFact
from gradguard.facts.releases import BASE
from gradguard.workspace.files import Document
from gradguard.workspace.project import Project

MEMORY = 64
"""Megabytes that one call may take,"""

TURNS = 10_000_000
"""and turns of an empty loop, which is how long it may keep the processor: a fifth of a second or so."""

TRIES = 5
"""how often what seems to take longer is tried"""

HEAD = """\
import bisect, collections, enum, fnmatch, functools, importlib, itertools, json, math, operator, pprint, re
import torch
from torch import nn
text, row, large = "ab" * 2500, [1, 2] * 2500, 10**9
shared = {}
for _ in range(60):
    shared = {"a": shared, "b": shared}
other = {}
for _ in range(60):
    other = {"a": other, "b": other}
pair = ()
for _ in range(60):
    pair = (pair, pair)
cycle = []
cycle.append(cycle)
ring = []
ring.append(ring)
"""

HOSTILE = """\
0 -1 2 64 5000 large -large 10**6 -(10**6) 2**63 10**30 1.5 1e308 float('inf') float('nan') 1j True None ''
'a' text b'' b'ab' text.encode() row (1,)*5000 range(large) range(10**30) '%9999999999d' '%*d' '%.9999999999f'
'{:>9999999999}' '{:{}}' '{:.9999999999f}' '>9999999999' '{0[9999999999]}' '{' '%' '[' '(a*)*b' '*a*a*a*a*b'
shared other pair cycle ring {} set() [] () [[]] lambda*x:x int str torch.float32 torch.rand(2,2)
torch.zeros(10**9) (large,) [large]*3 slice(large)
"""
CONSTANTS = HOSTILE.split()

METHODS = {
    "text": str,
    "text.encode()": bytes,
    "large": int,
    "1e308": float,
    "row": list,
    "((1,)*5000)": tuple,
    "shared": dict,
    "set(row)": set,
    "collections.deque(row)": collections.deque,
    "cycle": list,
    "pair": tuple,
}
OPERATORS = ("+", "-", "*", "/", "//", "%", "**", "@", "&", "|", "^", "<<", ">>", "==", "!=", "<", "<=", "in", "is")
MODULES = (math, itertools, operator)
LEFT_OUT = {"breakpoint", "copyright", "credits", "exit", "help", "input", "license", "quit"}

FIXED = (
    's = "ab"; [s := s + s for _ in range(60)]',
    "s = (1, 2); [s := s + s for _ in range(60)]",
    "s = 3; [s := s * s for _ in range(60)]",
    "s = 3; [s := s ** 3 for _ in range(60)]",
    "s = 3; [s := s << 60 for _ in range(60)]",
    'f"{1:>9999999999}"',
    'f"{1:{large}}"',
    'f"{cycle} {shared} {pair}"',
    "math.prod(range(1, 10**6))",
    "math.prod([10**6] * 10**4)",
    'itertools.combinations("AA", 2**29)',
    'itertools.permutations("AA", 2**29)',
    'itertools.product("AA", repeat=2**29)',
    'itertools.combinations_with_replacement("AA", 2**29)',
    "nn.LSTM(2, 2, num_layers=10**8)",
    "nn.Transformer(8, 2, num_encoder_layers=10**8)",
    "nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2), 10**8)",
    "nn.Transformer((1,)*5000, ring)",
    "repr(shared); str(cycle); shared == other; cycle == ring; cycle < ring; {pair: pair}; pair in [pair]",
    'importlib.import_module("")',
    "isinstance(1, pair); issubclass(int, pair); isinstance(1, cycle)",
    'collections.namedtuple("P", "x y", defaults=())(1, 2)',
    'collections.namedtuple("P", "x", defaults=(1, 2))',
    "def gcd(a, b):\n    while a:\n        a, b = b % a, a\n    return b\n"
    "for i in range(-3, 3):\n    for j in range(-3, 3):\n        gcd(i, j)",
    "[*range(large)]; {*range(large)}; a, *b = range(large); a, *b = torch.zeros(large); len(range(10**30))",
    "class Own:\n    pass\nOwn.__call__ = Own()\nOwn()()",
    "class Key:\n    def __hash__(self):\n        return 1\n    def __eq__(self, other):\n        table.clear()\n"
    "        return False\ntable = {Key(): 1}\ntable[Key()] = 2",
    "class Rows:\n    def __aiter__(self):\n        return self\n    def __anext__(self):\n        return ()\n"
    "async def read():\n    async for row in Rows():\n        pass\nread()",
    "class Kind(enum.Enum):\n    locals()[torch.rand(1).item()] = 1",
    "slice(0, 10, 0).indices(5)",
    "pprint.pformat(frozenset((frozenset(), frozenset('ab'))))",
    "class Meta(type):\n    pass\nmade = Meta('made', (Meta,), {})\n"
    "super(Meta, type(made)).__setattr__(made, 'bar', 1)",
    "z = torch.zeros(large); z.tolist(); z.unbind(); z.chunk(large); z.split(1)",
    'json.loads("[" * 9000); json.dumps([1], indent=10**6); fnmatch.fnmatch("a" * 3000, "*a" * 20 + "b")',
    'text.replace("", text).replace("", text); "a\\t".expandtabs(10**6); (text + "\\t").expandtabs(10**5)',
    "text.join([text] * 1000)",
    "round(5, -10**6); pow(10**6, 10**6); 2**10**9; 10**6 << 10**6; (10**6).to_bytes(10**6, 'big')",
    "torch.einsum('a' * 9000, torch.rand(1)); torch.svd_lowrank(torch.rand(4, 4), niter=10**9)",
)


def drawn(seed: int, count: int) -> list[str]:
    """So many calls of each function that the replay may evaluate, with hostile constants."""
    chance = random.Random(seed)
    table = BASE.table
    modules = sorted(name.removeprefix("torch.") for name in table.names() if isinstance(table.find(name), ModuleFact))
    called = [name for name in dir(builtins) if name[0].islower() and name not in LEFT_OUT]
    called += [f"{module.__name__}.{name}" for module in MODULES for name in dir(module) if name[0] != "_"]
    called += [f"{own}.{name}" for own, kind in METHODS.items() for name in dir(kind) if name[0] != "_"]
    called += modules
    calls = []
    for name in called:
        for _ in range(count):
            given = ", ".join(chance.choice(CONSTANTS) for _ in range(chance.choice((1, 1, 2, 2, 3))))
            calls.append(f"v = {name}({given})")
    for op in OPERATORS:
        calls += [f"v = ({chance.choice(CONSTANTS)}) {op} ({chance.choice(CONSTANTS)})" for _ in range(count * 5)]
    return calls


def cost(project: Project, path: str, call: str) -> tuple[float, int, list[str]]:
    """Seconds, megabytes and internal errors of a check of the call."""
    project.overlay(Document(path, f"{HEAD}{call}\n"))
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    gc.disable()  # what earlier calls have left is not this one's
    began = time.process_time()
    result = project.check([path])
    seconds = time.process_time() - began
    gc.enable()
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory) // 1024
    return seconds, grown, [problem.message for problem in result.problems if problem.internal]


def allowed() -> float:
    """Seconds of this machine's processor for one call."""
    began = time.process_time()
    for _ in range(TURNS):
        pass
    return time.process_time() - began


def is_slow(project: Project, path: str, call: str) -> bool:
    """Whether a call takes more than its allowance each time: others use this machine, so each try has its own."""
    return all(cost(project, path, call)[0] > most(project, path) for _ in range(TRIES))


def most(project: Project, path: str) -> float:
    """Seconds that a call may take, as fast as this machine is now."""
    return cost(project, path, "v = 1")[0] + allowed()


def main(seed: int, count: int) -> int:
    """Draw, replay, and print what is wrong."""
    path = str(Path.cwd() / "bomb.py")
    project = Project(Path.cwd())
    cost(project, path, "")
    enough = min(most(project, path) for _ in range(TRIES))
    resource.setrlimit(resource.RLIMIT_AS, (2 * 1024**3, 2 * 1024**3))
    calls = [*FIXED, *drawn(seed, count)]
    wrong = 0
    for call in calls:
        faulthandler.dump_traceback_later(20, exit=True)
        seconds, grown, problems = cost(project, path, call)
        if (seconds > enough and is_slow(project, path, call)) or grown > MEMORY or problems:
            wrong += 1
            print(f"{seconds:.2f} s, {grown} MB: {call}", *problems, sep="\n    ", flush=True)
    faulthandler.cancel_dump_traceback_later()
    print(f"{wrong} of {len(calls)} calls, seed {seed}")
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2])))
