"""Measuring in processes of their own: one that dies costs the item it died of, and nothing else."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("torch")

from gradguard.facts.measure import apart
from gradguard.facts.model import REQUIRED, Param

if TYPE_CHECKING:
    from collections.abc import Sequence

ITEMS = range(3 * apart.TOGETHER + 1)


def squares(some: Sequence[int]) -> list[int]:
    return [item * item for item in some]


def squares_but_seven(some: Sequence[int]) -> list[int]:
    if 7 in some:
        os.kill(os.getpid(), signal.SIGKILL)
    return squares(some)


def told(*ways: object) -> dict[int, int | None]:
    found: dict[int, int | None] = {}
    for some, answer in apart.of(ways, list(ITEMS)):
        found |= dict(zip(some, answer or [None] * len(some), strict=True))
    return found


def test_all_items_are_told_of() -> None:
    assert told(squares) == {item: item * item for item in ITEMS}


def test_an_item_that_ends_the_process_is_left_out() -> None:
    assert told(squares_but_seven) == {item: None if item == 7 else item * item for item in ITEMS}


def test_it_is_tried_in_a_more_careful_way() -> None:
    assert told(squares_but_seven, squares) == {item: item * item for item in ITEMS}


def test_what_is_told_is_as_it_was() -> None:
    (((_, (param,))),) = apart.of([lambda _: (Param("input", REQUIRED),)], [0])
    assert param.default is REQUIRED


def test_a_measurement_that_raises_is_an_error(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(RuntimeError, match="traceback stands above"):
        told(lambda some: 1 / 0)
    assert "ZeroDivisionError" in capfd.readouterr().err
