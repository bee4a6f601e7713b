"""Makes single edits in models of real packages, trains each for two steps, and holds GradGuard against what happens.

    python -m mutants PYTHON [--only NAME …] [--seed N] [--show] [--write]

PYTHON is an interpreter that has the packages.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
import sys
from collections import defaultdict
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .edits import Edit, edits
from .models import Model, listed
from .page import summary, written
from .record import Outcome, Record

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "real-code.md"
EACH = 8
"""edits of a file that fail, and that do not"""
TRIED = 40
"""edits of a file that are trained"""


def main() -> int:
    """Edit, train, ask, write."""
    options = _options()
    models = listed(HERE / "models.toml")
    record = Record(HERE / "record.json")
    for model in models:
        if model.is_chosen(options.only):
            record.add(model.file, _outcomes(model, options))
            print(model.file, flush=True)
    outcomes = record.outcomes(models)
    print(summary(outcomes))
    if options.write:
        PAGE.write_text(written(outcomes), encoding="utf-8")
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m mutants", description=__doc__.split("\n")[0])
    parser.add_argument("python", type=Path, help="an interpreter that has the packages")
    parser.add_argument("--only", nargs="*", help="these packages or files only")
    parser.add_argument("--seed", type=int, default=0, help="which edits are drawn (%(default)s)")
    parser.add_argument("--show", action="store_true", help="tell of each edit where the answer is another")
    parser.add_argument("--write", action="store_true", help="write the page")
    return parser.parse_args()


def _outcomes(model: Model, options: argparse.Namespace) -> list[Outcome]:
    """What comes of the edits of one file, and what is said of them."""
    from .told import Reader

    root = model.project(options.python)
    readers = [Reader(root, root / model.file, script) for script in (None, root / model.script_name)]
    outcomes = []
    for edit, verdict in _trained(model, options.python, options.seed):
        text = edit.applied(readers[0].text)
        (alone, said), (scripted, more) = (reader.told(text) for reader in readers)
        fails = verdict.startswith("fails")
        elsewhere = not fails and "alarm" in (alone, scripted) and _fails_elsewhere(model, options.python, edit, text)
        package = f"{model.package} {model.version}"
        outcomes.append(Outcome(package, model.unseen, model.file, edit.kind, fails, alone, scripted, elsewhere))
        if options.show and {alone, scripted} != {"alarm" if fails else "silent"}:
            print(f"{model.file}:{edit.first} {edit.kind}; {verdict[:110]}; alone {alone}, with the script {scripted}")
            print(*edit.lines, *dict.fromkeys(said + more), sep="\n    ", flush=True)
    return outcomes


def _trained(model: Model, python: Path, seed: int) -> Iterator[tuple[Edit, str]]:
    """Edits of a file, in equal parts of each kind, with how two steps of training end."""
    text = (model.project(python) / model.file).read_text(encoding="utf-8")
    base = {"script": model.script, "file": model.file}
    found = next(asked(python, base))
    if "problem" in found:
        sys.exit(f"{model.file}: {found['problem']}")
    tensors = {int(first): frozenset(names) for first, names in found["tensors"].items()}
    drawn = list(_in_turn(edits(text, frozenset(found["lines"]), tensors), random.Random(f"{seed} {model.file}")))
    tried = [_told(edit, edit.applied(text)) for edit in drawn[:TRIED]]
    left = {True: EACH, False: EACH}
    for edit, answer in zip(drawn, asked(python, base | {"edits": tried}), strict=False):
        verdict = answer["verdict"]
        fails = verdict.startswith("fails")
        if not verdict.startswith("other") and answer["ran"] and left[fails]:
            left[fails] -= 1
            yield edit, verdict


def _told(edit: Edit, text: str) -> dict[str, Any]:
    return {"text": text, "lines": (edit.first, edit.last), "count": len(edit.lines)}


def _fails_elsewhere(model: Model, python: Path, edit: Edit, text: str) -> bool:
    """Whether training raises with an edit where the model, or what it is given, is another one."""
    jobs = ({"script": script, "file": model.file, "edits": [_told(edit, text)]} for script in model.other_scripts)
    return any(answer["verdict"].startswith("fails") for job in jobs for answer in asked(python, job))


def _in_turn(found: list[Edit], rng: random.Random) -> Iterator[Edit]:
    """One edit of each kind after the other."""
    kinds: defaultdict[str, list[Edit]] = defaultdict(list)
    for edit in found:
        kinds[edit.kind].append(edit)
    for one in kinds.values():
        rng.shuffle(one)
    while any(kinds.values()):
        yield from [one.pop() for one in kinds.values() if one]


def asked(python: Path, job: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """What PyTorch says, which is kept for the next time."""
    words = json.dumps(job)
    truth = HERE / "truth.py"
    known = HERE / ".known" / f"{sha256((words + truth.read_text()).encode()).hexdigest()[:20]}.jsonl"
    if not known.exists():
        known.parent.mkdir(exist_ok=True)
        run = subprocess.run([python, truth], input=words, capture_output=True, text=True, check=False)
        if run.returncode:
            sys.exit(run.stderr)
        known.write_text(run.stdout)
    answers = [line for line in known.read_text().splitlines() if re.match(r"\{\"", line)]
    yield from map(json.loads, answers)


if __name__ == "__main__":
    sys.exit(main())
