"""Write what was measured of a release: the base whole, any other as what differs from its neighbour.

The neighbour is the next release on the way to the base. With the base 2.13, and 2.14 and 2.15 beside it:

    2.13: table.json, gradients.json, …    2.14: what differs from 2.13    2.15: what differs from 2.14

So if one release is measured again, the files of those beside it are written again, too.
"""

from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from . import releases, rows
from .releases import BASE, COVERAGE, FOLDER, KINDS, version

if TYPE_CHECKING:
    from collections.abc import Mapping

Tables = dict[str, dict[str, Any]]
"""the rows of a release by kind and name"""

Died = dict[str, list[str]]
"""the callables of each kind that could not be measured, because PyTorch ends the process"""

DIED = "ends the process"
"""the key of these in the coverage of a release"""


def tables_of(name: str) -> Tables:
    """Return all rows of a release that is recorded."""
    return {kind: releases.of(name).rows(kind).all() for kind in KINDS}


def record(name: str, tables: Tables, coverage: Mapping[str, Any]) -> None:
    """Write the tables of a release, and those of all others again, because they say what differs.

    `coverage` says how much of the release was measured. A callable that was measured in the neighbouring release, but
    is only declared in this one (no sample ran), gets the neighbour's facts. So does one that could not be measured,
    for each kind.
    """
    known = {one: tables_of(one) for one in releases.names()} | {name: tables}
    heads = {one: head_of(one) for one in known if one not in (name, BASE.name)}
    heads[name] = dict(coverage)
    order = sorted(known, key=version)
    at = order.index(BASE.name)
    FOLDER.mkdir(exist_ok=True)
    newer, older = order[at:], order[at::-1]
    for beside, one in (*pairwise(newer), *pairwise(older)):
        fall_back(known[one], known[beside], heads.get(one, {}).get(DIED, {}))
        releases.path_of(one).write_text(text_of(heads[one], beside, known[one], known[beside]), encoding="utf-8")
    if name == BASE.name:
        COVERAGE.write_text(json.dumps(coverage, indent=1) + "\n", encoding="utf-8")
        for kind in KINDS:
            rows.path_of(kind).write_text(rows.written(tables[kind]), encoding="utf-8")


def fall_back(tables: Tables, beside: Tables, died: Died) -> None:
    """Take the neighbour's rows, into `tables`, for callables that are only declared there or could not be measured."""
    for kind, names in died.items():
        tables[kind] |= {name: beside[kind][name] for name in names if name in beside[kind]}
    for name, row in tables["table"].items():
        other = beside["table"].get(name)
        if other is not None and row.get("measured") is False and other.get("measured") is not False:
            for kind in KINDS:
                if name in beside[kind]:
                    tables[kind][name] = beside[kind][name]


def head_of(name: str) -> dict[str, Any]:
    """Return the coverage of a release: how it was measured."""
    if name == BASE.name:
        found: dict[str, Any] = json.loads(COVERAGE.read_text(encoding="utf-8"))
        return found
    return {key: value for key, value in releases.told(name).items() if key not in (*KINDS, "beside")}


def text_of(head: Mapping[str, Any], beside: str, tables: Tables, others: Tables) -> str:
    """Return the text of a release's file: its coverage, then a line for each row that differs from the neighbour's."""
    told = {kind: difference(tables[kind], others[kind]) for kind in KINDS}
    lines = [f'"{key}":{json.dumps(value)}' for key, value in {**head, "beside": beside}.items()]
    lines += [f'"{kind}":{rows.written(some).rstrip()}' for kind, some in told.items() if some]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def difference(here: Mapping[str, Any], there: Mapping[str, Any]) -> dict[str, Any]:
    """Return the rows `here` that differ from those `there`; None for a row that is missing here."""
    return {name: here.get(name) for name in sorted({*here, *there}) if here.get(name) != there.get(name)}
