"""Golden tests of fixes: a program, the failure in it, and what each fix makes of it.

    ### what the section shows
    - strategy: outplace.propose
    - kind: stale-saved                 (the default)
    - site: `y += 1`                    the node with this text; `text` 2 is the second one
    - saved: `x.exp()` result x         site, role, name
    - hop: alias `y = x`
    - fact: constructor `nn.ReLU(True)`
    - fact: aliases ("x",)              other names that hold the changed tensor; the default is none

then the program in a fence, and for each fix its safety and title on a line, and the new program in a fence.
"""

from __future__ import annotations

import ast
import importlib
import re
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from gradguard.analyses.domain.report import Failure, Hop, Saved, Site, Write
from gradguard.fixes import Fix, apply
from gradguard.fixes.place import Context, module_body, walk
from gradguard.syntax.chunks import parse
from gradguard.syntax.ir import Stmt

if TYPE_CHECKING:
    from pathlib import Path

FENCE = re.compile(r"```python\n(.*?)```\n", re.DOTALL)
RESULT = re.compile(r"^(safe|unsafe): ([^\n]*)\n+```python\n(.*?)```\n", re.DOTALL | re.MULTILINE)
SITE = re.compile(r"`(.*?)`(?: (\d+))?")
PATH = "main.py"


@dataclass
class Section:
    file: str
    name: str
    settings: list[tuple[str, str]]
    program: str
    expected: list[tuple[str, str, str]] = field(default_factory=list)

    def __str__(self) -> str:
        return f"{self.file}: {self.name}"


def sections(folder: Path) -> list[Section]:
    found = []
    for file in sorted(folder.glob("*.txt")):
        for part in re.split(r"^### ", file.read_text("utf-8"), flags=re.MULTILINE)[1:]:
            name, rest = part.split("\n", 1)
            program = FENCE.search(rest)
            assert program, name
            settings = re.findall(r"^- (\w+): (.*)$", rest[: program.start()], re.MULTILINE)
            found.append(Section(file.stem, name, settings, program.group(1), RESULT.findall(rest[program.end() :])))
    return found


def site(source: Any, told: str) -> Site:
    """Find the node with this text: statements before expressions, outer before inner."""
    match = SITE.match(told)
    assert match, told
    text, count = match.group(1).replace("⏎", "\n"), int(match.group(2) or 1)
    found = []
    for top in module_body(source):
        chunk = top.chunk
        for node in walk(top):
            chunk = node.chunk if isinstance(node, Stmt) else chunk
            if chunk.text[node.start : node.end] == text:
                found.append(Site(chunk, node))
    distinct = {(one.chunk.offset + one.node.start, one.node.end): one for one in reversed(found)}
    ordered = [distinct[key] for key in sorted(distinct)]
    assert len(ordered) >= count, f"{text!r} occurs {len(ordered)} times"
    return ordered[count - 1]


def build(section: Section) -> tuple[Failure, Context]:
    source = parse(section.program, PATH)
    values: dict[str, Any] = {"kind": "stale-saved", "cause": "inplace", "name": None}
    hops: list[Hop] = []
    facts: dict[str, Any] = {"aliases": ()}
    for key, value in section.settings:
        if key in {"site", "backward"}:
            values[key] = site(source, value)
        elif key == "write":
            values[key] = Write(site(source, value), "", None, 0, 1)
        elif key == "saved":
            match = SITE.match(value)
            role, _, name = value[match.end() :].strip().partition(" ") if match else ("", "", "")
            values[key] = Saved(site(source, value), "op", role, name or None, 0)
        elif key == "hop":
            kind, where = value.split(" ", 1)
            hops.append(Hop(site(source, where), kind))  # type: ignore[arg-type]
        elif key == "fact":
            name, told = value.split(" ", 1)
            facts[name] = site(source, told) if told.startswith("`") else ast.literal_eval(told)
        elif key in {one.name for one in fields(Failure)}:
            values[key] = value
    return Failure(**values, hops=tuple(hops), facts=facts), Context({PATH: source})


def proposed(section: Section) -> list[Fix]:
    failure, context = build(section)
    module, _, function = dict(section.settings)["strategy"].partition(".")
    strategy = getattr(importlib.import_module(f"gradguard.fixes.{module}"), function)
    return list(strategy(failure, context))


def results(section: Section) -> list[tuple[str, str, str]]:
    return [(fix.safety, fix.title, apply(section.program, fix.edits)) for fix in proposed(section)]


def shown(fixes: list[tuple[str, str, str]]) -> str:
    return "\n".join(f"{safety}: {title}\n\n```python\n{text}```\n" for safety, title, text in fixes)
