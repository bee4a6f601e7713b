"""The rules' texts are complete, and codes and names are as the contract has them."""

from __future__ import annotations

import re
from dataclasses import fields
from typing import get_args

import pytest
from gradguard.analyses.domain.report import Cause, Failure, Kind, Saved, Site
from gradguard.rules import RULES, Rule, explaining, phrases, rule
from gradguard.rules.diagnostic import rule_of
from gradguard.rules.messages import Locale
from gradguard.rules.page import catalogue, page, words
from gradguard.rules.rule import PAGES
from gradguard.syntax.chunks import parse

from .program import Program

LOCALES = get_args(Locale)
EVERY = pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.code)

CONTRACT = {
    "GG101": "inplace-on-saved",
    "GG102": "step-before-backward",
    "GG103": "carried-graph",
    "GG111": "unseen-write",
    "GG201": "leaf-inplace",
    "GG202": "view-of-leaf-inplace",
    "GG203": "multi-view-inplace",
    "GG204": "no-grad-view-inplace",
    "GG205": "overlapping-write",
    "GG206": "out-with-grad",
    "GG207": "inference-tensor",
    "GG301": "freed-graph",
    "GG302": "lost-leaf",
    "GG401": "single-precision-gradcheck",
    "GG402": "integer-requires-grad",
    "GG403": "wrong-backward",
    "GG501": "custom-function-contract",
    "GG601": "deepcopy-nonleaf",
    "GG900": "unused-suppression",
}


def test_codes_and_names_are_those_of_the_contract_in_order() -> None:
    assert [(code, rule.code, rule.name) for code, rule in RULES.items()] == [
        (code, code, name) for code, name in CONTRACT.items()
    ]


@EVERY
def test_the_best_fix_is_what_the_page_begins_with(rule: Rule) -> None:
    begins = {"safe": "Safe:", "unsafe": "Unsafe", "none": "None:"}
    assert rule.fixes.startswith(begins[rule.mend])


@EVERY
def test_the_texts_are_complete(rule: Rule) -> None:
    texts = [getattr(rule, field.name) for field in fields(rule) if field.type == "str"]
    assert len(texts) == 9
    assert all(text.strip() for text in texts)
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", rule.name)
    assert rule.summary.endswith(".")
    assert "\n" not in rule.summary


@EVERY
def test_lines_fit_a_terminal(rule: Rule) -> None:
    assert max(map(len, page(rule).splitlines())) <= 120


@EVERY
def test_the_page_has_every_text_and_both_programs(rule: Rule) -> None:
    text = page(rule)
    assert text.startswith(f"# {rule.name} ({rule.code})\n")
    for part in (rule.summary, rule.what, rule.why, rule.limits, rule.fixes, *rule.error):
        assert part in text
    assert re.findall(r"```python\n(.*?)```", text, re.DOTALL) == [rule.fails, rule.works]


@EVERY
def test_a_link_to_a_rule_leads_to_its_page(rule: Rule) -> None:
    """`make pages` writes the pages again."""
    for locale in LOCALES:
        assert rule.address(locale) == rule.file(locale).as_uri()
        assert rule.file(locale).read_text(encoding="utf-8") == page(rule, locale)


def test_every_page_that_the_package_carries_is_that_of_a_rule() -> None:
    assert {*PAGES.iterdir()} == {rule.file(locale) for rule in RULES.values() for locale in LOCALES}


def test_the_catalogue_has_a_row_for_every_rule() -> None:
    rows = catalogue().splitlines()[2:]
    assert [row.split(" | ")[0].strip("| ") for row in rows] == list(CONTRACT)


def test_a_rule_is_found_by_code_and_by_name() -> None:
    assert rule("GG101") is rule("gg101") is rule("inplace-on-saved") is RULES["GG101"]
    with pytest.raises(KeyError):
        rule("GG999")


def test_an_error_is_explained_across_line_breaks() -> None:
    text = "RuntimeError: Trying to backward\nthrough the graph a second time (or directly access"
    assert [rule.code for rule in explaining(text)] == ["GG103", "GG301"]
    assert explaining("IndexError: list index out of range") == []


@pytest.mark.parametrize("kind", [kind for kind in get_args(Kind) if kind != "other"])
@pytest.mark.parametrize("cause", get_args(Cause))
def test_exactly_one_rule_is_about_a_failure(kind: Kind, cause: Cause) -> None:
    failure = Failure(kind, cause, _site(), "x")
    found = [rule for rule in RULES.values() if rule.matches(failure)]
    assert found == [rule_of(failure)]
    assert kind in found[0].kinds


def test_other_failures_are_no_rules_but_those_of_custom_functions() -> None:
    assert rule_of(Failure("other", "direct", _site(), "x")) is None
    assert rule_of(Failure("other", "function", _site(), "x")) is RULES["GG501"]


def _site() -> Site:
    return Program("x += 1\n").site("x += 1")


@pytest.mark.parametrize(
    ("role", "told"),
    [
        ("self", "its input"),
        ("out", "its result"),
        ("out1", "its result"),
        ("self.weight", "its weight"),
        ("indices", "its index"),
        ("mask", "its mask"),
        ("self.weight_ih_l0", "its `weight_ih_l0`"),
        ("tensor1", "its argument `tensor1`"),
    ],
)
def test_what_a_tensor_is_to_the_operation_that_saved_it(role: str, told: str) -> None:
    statement = next(iter(parse("y = f(x)\n", "a.py").body))
    assert phrases.role(Saved(Site(statement.chunk, statement), "f", role, "x", 0), "en") == told


CODE = re.compile(r"`[^`]+`|GG\d{3}")


@pytest.mark.parametrize("code", RULES)
def test_a_rule_has_its_texts_in_chinese(code: str) -> None:
    """What is code or the name of a rule is the same in both languages, up to what a translation needs to repeat."""
    english, chinese = words(RULES[code]), words(RULES[code], "zh-cn")
    for name in ("summary", "what", "why", "limits", "fixes"):
        here, there = getattr(english, name), getattr(chinese, name)
        assert re.search("[\u4e00-\u9fff]", there), name
        assert not re.search("[\u4e00-\u9fff，。]\n[\u4e00-\u9fff]", there), "a line break would show as a space"
        assert set(re.findall(r"GG\d{3}", here)) == set(re.findall(r"GG\d{3}", there)), name
        missing = set(CODE.findall(here)) - set(CODE.findall(there))
        assert not missing, (name, missing)


def test_a_page_in_chinese_has_chinese_headings() -> None:
    text = page(RULES["GG101"], "zh-cn")
    assert "## 为何失败" in text
    assert not re.search(r"^## [A-Z]", text, re.MULTILINE)
