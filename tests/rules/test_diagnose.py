"""From failures to diagnostics: messages, severities, related places, merging, order."""

from __future__ import annotations

from dataclasses import replace

import pytest
from gradguard.analyses.domain.report import Assumption, Failure, Hop, Report, Saved, Site, Write
from gradguard.rules import RULES
from gradguard.rules.custom_function_contract import DETAILS, SILENT
from gradguard.rules.diagnostic import MOST_RELATED, Diagnostic, Severity, diagnose, unused_suppression
from gradguard.rules.messages import CATALOGUES, Locale
from gradguard.rules.wording import LONGEST

from .program import Program

SAVED_AND_CHANGED = Program("""\
import torch

x = torch.ones(3, requires_grad=True)

y = torch.exp(x)
z = y
y += 1
z.sum().backward()
""")


def stale(**changes: object) -> Failure:
    """The contract's own example: `exp` saved `y`, and `y += 1` changes it."""
    site = SAVED_AND_CHANGED.site
    failure = Failure(
        "stale-saved",
        "inplace",
        site("y += 1"),
        "y",
        "+=",
        Saved(site("torch.exp(x)"), "exp", "result", "y", 0),
        Write(site("y += 1"), "+=", "y", 0, 1),
        site("z.sum().backward()"),
        hops=(Hop(site("z = y"), "alias", "z"),),
    )
    return replace(failure, **changes)  # type: ignore[arg-type]


def only(failure: Failure, locale: Locale = "en") -> Diagnostic:
    (diagnostic,) = diagnose(Report([failure]), locale)
    return diagnostic


def said(failure: Failure, locale: Locale = "en") -> str:
    return only(failure, locale).message


# -- a saved tensor that was changed ----------------------------------------------------------


def test_the_message_is_the_contracts() -> None:
    diagnostic = only(stale())
    assert diagnostic.rule is RULES["GG101"]
    assert diagnostic.severity is Severity.ERROR
    assert diagnostic.site == SAVED_AND_CHANGED.site("y += 1")
    assert diagnostic.failure == stale()
    assert diagnostic.words.headline == "`z.sum().backward()` will raise: it needs `y`, which this changes"
    assert diagnostic.words.label == "changes `y`: version 0 → 1"
    assert diagnostic.words.when == ""
    assert diagnostic.message == (
        "`z.sum().backward()` will raise: it needs `y`, which this changes. `exp` (line 5) has saved it at version 0, "
        "this makes it version 1, and the backward in line 8 reads it again."
    )


def test_the_message_in_chinese() -> None:
    assert only(stale(), "zh-cn").words.label == "修改 `y`：版本 0 → 1"
    assert said(stale(), "zh-cn") == (
        "`z.sum().backward()` 将报错：它需要 `y`，而此处修改了它。"
        "`exp`（第 5 行）已保存它，版本为 0，此处使其变为版本 1，而第 8 行的反向传播会再次读取它。"
    )


def test_what_is_not_known_is_left_out() -> None:
    write = Write(SAVED_AND_CHANGED.site("y += 1"), "+=", None, None, None)
    saved = Saved(SAVED_AND_CHANGED.site("torch.exp(x)"), "exp", "result", None, None)
    assert said(stale(name=None, write=write, saved=saved, backward=None)) == (
        "`backward()` will raise: it needs a tensor, which this changes. `exp` (line 5) has saved it, this "
        "changes it, and `backward()` reads it again."
    )


def test_a_tensor_that_was_saved_under_another_name_is_named() -> None:
    saved = Saved(SAVED_AND_CHANGED.site("torch.exp(x)"), "exp", "result", "base", 0)
    words = only(stale(saved=saved)).words
    assert words.headline == "`z.sum().backward()` will raise: it needs `base`, which this changes"
    assert words.label == "changes `y`, which shares memory with `base`: version 0 → 1"
    assert "this makes it version 1 through `y`, in the same memory" in words.message


def test_the_related_places_tell_the_story_in_order() -> None:
    site = SAVED_AND_CHANGED.site
    assert [(related.site, related.message) for related in only(stale()).related] == [
        (site("torch.exp(x)"), "`exp` saves `y` for backward at version 0 (its result)"),
        (site("z = y"), "`z` names the same memory from here on"),
        (site("z.sum().backward()"), "needs `y` at version 0"),
    ]


def test_a_change_elsewhere_is_a_related_place() -> None:
    elsewhere = stale(site=SAVED_AND_CHANGED.site("z = y"), hops=())
    assert "it needs `y`, which line 7 changes. `exp`" in said(elsewhere)
    assert "line 7 makes it version 1" in said(elsewhere)
    assert [related.message for related in only(elsewhere).related] == [
        "`exp` saves `y` for backward at version 0 (its result)",
        "`+=` changes `y`: version 0 → 1",
        "needs `y` at version 0",
    ]


def test_a_place_in_another_file_is_told_with_its_file() -> None:
    helper = Program("def f(x):\n    return x.exp()\n", "lib/helper.py")
    saved = Saved(helper.site("x.exp()"), "exp", "result", "y", 0)
    assert "`exp` (helper.py:2) has saved it" in said(stale(saved=saved))


def test_the_call_that_fails_is_named() -> None:
    program = Program("y += 1\ntorch.autograd.grad(y, x)\n")
    failure = stale(backward=program.site("torch.autograd.grad(y, x)"))
    assert said(failure).startswith("`torch.autograd.grad()` will raise: ")
    assert said(failure).endswith("and the backward in line 2 reads it again.")


def test_a_long_call_that_fails_is_named_by_its_end() -> None:
    call = "(first_loss + second_loss).mean().square().backward()"
    failure = stale(backward=Program(f"y += 1\n{call}\n").site(call))
    assert only(failure).words.headline == "`backward()` will raise: it needs `y`, which this changes"


def test_an_update_names_what_updates() -> None:
    step = Program("y.exp()\nopt_d.step()\nloss.backward()\n")
    saved = Saved(step.site("y.exp()"), "exp", "weight", "D.weight", 1)
    write = Write(step.site("opt_d.step()"), "optimizer.step()", "D.weight", 1, 2, "optimizer")
    failure = stale(
        cause="update",
        site=write.site,
        write=write,
        saved=saved,
        name="D.weight",
        backward=step.site("loss.backward()"),
    )
    diagnostic = only(failure)
    assert diagnostic.rule.code == "GG102"
    assert diagnostic.words.headline == (
        "`loss.backward()` will raise: it needs `D.weight`, which `opt_d.step()` changes"
    )
    assert "`opt_d.step()` makes it version 2" in diagnostic.message
    unnamed = replace(failure, write=replace(write, name=None), saved=replace(saved, name=None), name=None)
    assert "it needs a parameter, which `opt_d.step()` changes" in said(unnamed)


def test_a_silent_write_says_that_nothing_is_raised() -> None:
    write = Write(SAVED_AND_CHANGED.site("y += 1"), ".data", "y", 0, 0)
    diagnostic = only(stale(kind="silent-stale", write=write))
    assert diagnostic.rule.code == "GG111"
    assert diagnostic.words.label == "changes `y`, unseen by its version counter"
    assert diagnostic.message == (
        "Silently wrong gradients: `z.sum().backward()` needs `y`, changed here. `exp` (line 5) has saved it at "
        "version 0, `.data` changes it where its version counter cannot see it, and the backward in line 8 reads it "
        "again."
    )
    assert diagnostic.related[-1].message == "reads the changed `y`"


# -- carried graphs ---------------------------------------------------------------------------

LOOP = Program("""\
for step in range(3):
    out, h_next = rnn(x, h)
    loss = out.sum()
    loss.backward(retain_graph=True)
    opt.step()
    h = h_next
""")

CARRIED = Failure(
    "stale-saved",
    "carried",
    LOOP.site("opt.step()"),
    "rnn.weight",
    "opt.step()",
    Saved(LOOP.site("rnn(x, h)"), "rnn", "weight", "rnn.weight", 2),
    Write(LOOP.site("opt.step()"), "opt.step()", "rnn.weight", 2, 3, "optimizer"),
    LOOP.site("loss.backward(retain_graph=True)"),
    hops=(Hop(LOOP.site("h = h_next"), "stored", "h"),),
    assumptions=(Assumption("iteration", ""),),
)


def test_a_carried_graph_is_told_with_what_carries_it() -> None:
    diagnostic = only(CARRIED)
    assert diagnostic.rule.code == "GG103"
    assert diagnostic.severity is Severity.WARNING
    assert diagnostic.message == (
        "`loss.backward()` may raise: `h` carries an earlier iteration's graph. From the second iteration on, `h` "
        "(line 6) leads to where `rnn` (line 2) has saved `rnn.weight` at version 2, and `opt.step()` makes it version "
        "3."
    )
    assert [related.site for related in diagnostic.related] == [
        LOOP.site("rnn(x, h)"),
        LOOP.site("h = h_next"),
        LOOP.site("loss.backward(retain_graph=True)"),
    ]


def test_a_carried_graph_that_is_freed() -> None:
    backward = LOOP.site("loss.backward(retain_graph=True)")
    freed = replace(CARRIED, kind="freed-graph", site=backward, name="loss", write=None, assumptions=())
    assert said(freed) == (
        "`loss.backward()` will raise: `h` carries an earlier iteration's graph. `h` (line 6) leads to what `rnn` "
        "(line 2) has saved, and that iteration's backward has freed it."
    )
    unnamed = replace(freed, hops=(), name=None, saved=None)
    assert "will raise: the loop carries an earlier iteration's graph." in said(unnamed)


# -- failures that raise at once --------------------------------------------------------------

AT_ONCE = Program("""\
w = make()
w -= 1
use(w)
""")


def at_once(kind: str, **changes: object) -> Failure:
    site = AT_ONCE.site("w -= 1")
    failure = Failure(
        kind,  # type: ignore[arg-type]
        "direct",
        site,
        "w",
        "-=",
        hops=(Hop(AT_ONCE.site("make()"), "built", "w"),),
        raised=site,
    )
    return replace(failure, **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("failure", "code", "message"),
    [
        (
            at_once("leaf-inplace"),
            "GG201",
            "This raises: `w` is a leaf that requires grad, changed in place. As the result of an operation `w` "
            "(line 1) would get no gradient any more.",
        ),
        (
            at_once("leaf-inplace", detail="late"),
            "GG201",
            "This raises: `w` counts as a leaf, being older than its graph. Its memory came to require grad "
            "after this view (line 1) was taken.",
        ),
        (
            at_once("view-of-leaf-inplace"),
            "GG202",
            "This raises: `w` is a view of a leaf that requires grad, changed in place. A change of a view "
            "(line 1) changes its leaf, which would get no gradient any more as the result of an operation.",
        ),
        (
            at_once("multi-view-inplace", hops=(Hop(AT_ONCE.site("make()"), "view", "w", detail="unbind"),)),
            "GG203",
            "This raises: `w` is one of several views that `unbind` made. Views that one call (`unbind`, line "
            "1) made cannot be changed in place while gradients flow.",
        ),
        (
            at_once("multi-view-inplace", raised=AT_ONCE.site("use(w)")),
            "GG203",
            "The use in line 3 raises: `w` changes under several views that one call made. Once it has, views "
            "that one call (line 1) made cannot be used while gradients flow.",
        ),
        (
            at_once("multi-view-inplace", detail="custom"),
            "GG203",
            "This raises: `w` is a view from a custom Function or hook. Such a view (line 1) cannot be changed "
            "in place: its own backward would be lost.",
        ),
        (
            at_once("no-grad-view-inplace"),
            "GG204",
            "This raises: `w` is a view made without grad mode. A view made so (line 1) cannot be changed in "
            "place where grad mode is on.",
        ),
        (
            at_once("overlap-write"),
            "GG205",
            "This raises: several elements of `w` share one place in memory. What is written to one element of "
            "`w` (line 1) would be read in others, too.",
        ),
        (
            at_once("overlap-write", detail="input", hops=()),
            "GG205",
            "This raises: `w` is changed from values in the same memory. Some values of `w` would be "
            "overwritten before they are read.",
        ),
        (
            at_once("out-grad", via="mm", hops=()),
            "GG206",
            "This raises: `out=` cannot write `w` under grad. One of the tensors requires grad, and autograd "
            "does not record `out=`.",
        ),
        (
            at_once("inference-tensor", detail="written"),
            "GG207",
            "This raises: `w` is an inference tensor, changed here. Made in inference mode (line 1), it has no "
            "version counter that could tell of the change.",
        ),
        (
            at_once("inference-tensor", detail="saved", via="mul"),
            "GG207",
            "This raises: `mul` saves `w`, an inference tensor. Made in inference mode (line 1), it has no "
            "version counter that backward could check.",
        ),
        (
            at_once("inference-tensor", detail="saved", via="", hops=()),
            "GG207",
            "This raises: this operation saves `w`, an inference tensor. Made in inference mode, it has no "
            "version counter that backward could check.",
        ),
        (
            at_once(
                "freed-graph",
                saved=Saved(AT_ONCE.site("make()"), "exp", "result", "w", 0),
                hops=(Hop(AT_ONCE.site("make()"), "freed"),),
            ),
            "GG301",
            "`backward()` will raise: the backward in line 1 has freed its graph. It needs what `exp` (line 1) "
            "has saved, which the first backward frees unless it has `retain_graph=True`.",
        ),
        (
            at_once("nonleaf-grad"),
            "GG302",
            "`.grad` of `w` is None: it is the result of an operation, not a leaf. Backward keeps the gradients "
            "of leaves, and `w` was computed (line 1).",
        ),
        (
            at_once("gradcheck", via="gradcheck", detail="float32"),
            "GG401",
            "`gradcheck` will fail: `w` is float32, not double precision. It compares gradients with finite "
            "differences, which are noise in its precision (line 1).",
        ),
        (
            at_once("gradcheck", cause="function", via="gradcheck", detail="backward", name=None, hops=()),
            "GG403",
            "`gradcheck` will fail: this backward computes another derivative. It compares the gradient of "
            "backward with finite differences, and reports a mismatch.",
        ),
        (
            at_once("gradcheck", cause="function", via="gradcheck", detail="random", name=None, hops=()),
            "GG403",
            "`gradcheck` will fail: this backward draws random numbers. It runs backward twice, and reports "
            "that backward is not reentrant.",
        ),
        (
            at_once("requires-grad-dtype", detail="int64", hops=()),
            "GG402",
            "This raises: `w` is `int64`, and cannot require grad. Only floating point and complex tensors can.",
        ),
        (
            at_once("requires-grad-dtype", name=None, hops=()),
            "GG402",
            "This raises: this tensor is an integer tensor, and cannot require grad. Only floating point and "
            "complex tensors can.",
        ),
        (
            at_once("other", cause="function", detail="dirty-leaf"),
            "GG501",
            "This raises: `mark_dirty` names `w`, a leaf that requires grad. As the result of the custom "
            "Function the leaf (line 1) would get no gradient any more.",
        ),
        (
            at_once("other", cause="function", detail="dirty-lost", via="Fn.apply"),
            "GG501",
            "This raises: `w` is marked dirty, but not returned. A custom Function has to return what it marks "
            "as changed in place.",
        ),
        (
            at_once(
                "other", cause="function", detail="gradient-count", via="Fn.backward", facts={"given": 1, "taken": 2}
            ),
            "GG501",
            "This raises: `backward` does not return one gradient for each input. A custom Function's "
            "`backward` returns 1 here, and its `forward` got 2 inputs.",
        ),
        (
            at_once("deepcopy-nonleaf", via="deepcopy"),
            "GG601",
            "This raises: `deepcopy` cannot copy `w`, the result of an operation. It copies leaves and plain "
            "data alone, and `w` was computed (line 1).",
        ),
    ],
)
def test_what_is_said_of_a_failure_that_raises_at_once(failure: Failure, code: str, message: str) -> None:
    diagnostic = only(failure)
    assert diagnostic.rule.code == code
    assert diagnostic.message == message


def test_the_contract_of_a_custom_function_is_told_with_the_stale_tensor() -> None:
    message = said(stale(cause="function"))
    assert message.startswith("`z.sum().backward()` will raise: it needs `y`, which this changes. `exp` (line 5) has")
    assert "`ctx.mark_dirty`" in message


@pytest.mark.parametrize("locale", CATALOGUES)
@pytest.mark.parametrize("code", [code for code, rule in RULES.items() if rule.kinds])
def test_every_rule_speaks_every_language(code: str, locale: Locale) -> None:
    kind = RULES[code].kinds[0]
    causes = ("inplace", "update", "carried", "function")
    failure = next(f for cause in causes if RULES[code].matches(f := stale(kind=kind, cause=cause)))
    message = said(failure, locale)
    assert message.endswith("." if locale == "en" else "。")
    assert "{" not in message
    assert all(related.message for related in only(failure, locale).related)
    if locale == "zh-cn":
        assert message != said(failure)


@pytest.mark.parametrize("locale", CATALOGUES)
@pytest.mark.parametrize("assumed", [(), (Assumption("branch", "x"),)])
@pytest.mark.parametrize("code", [code for code, rule in RULES.items() if rule.kinds])
def test_no_headline_is_too_long_to_be_seen(code: str, assumed: tuple[Assumption, ...], locale: Locale) -> None:
    name = "self.discriminator.blocks[index].attention.projection.weight"
    call = "(generator_loss + self.config.weight * discriminator_loss).backward()"
    program = Program(f"{call}\nself.generator_optimizer.step()\n")
    site = program.site("self.generator_optimizer.step()")
    for kind in RULES[code].kinds:
        for cause in ("inplace", "update", "carried", "function", "second", "direct"):
            for detail in (
                "",
                "late",
                "custom",
                "multi_output",
                "input",
                "saved",
                "required",
                "random",
                *DETAILS,
                *SILENT,
            ):
                failure = stale(
                    kind=kind,
                    cause=cause,
                    detail=detail,
                    site=site,
                    name=name,
                    saved=Saved(SAVED_AND_CHANGED.site("torch.exp(x)"), "scaled_dot_product", "weight", name, 11),
                    write=Write(site, "optimizer.step()", name, 11, 12, "optimizer"),
                    backward=program.site(call),
                    hops=(Hop(program.site(call), "view", name, None, "tensor_split"),),
                    assumptions=assumed,
                    facts={"given": 1, "taken": 2},
                )
                if RULES[code].matches(failure) and (code != "GG403" or detail in ("", "random")):
                    assert len(only(failure, locale).words.headline) <= LONGEST


# -- assumptions ------------------------------------------------------------------------------

BRANCH = Assumption("branch", "training", SAVED_AND_CHANGED.site("z = y"))
GRAD = Assumption("requires-grad", "x")
BACKWARD = Assumption("backward", "")
ITERATION = Assumption("iteration", "", SAVED_AND_CHANGED.site("z = y"))
TRAINED = Assumption("trained", "Net")
GUESS = Assumption("guess", "`f` returns its argument")


@pytest.mark.parametrize(
    ("assumptions", "severity"),
    [
        ((), Severity.ERROR),
        ((BRANCH,), Severity.WARNING),
        ((GRAD,), Severity.WARNING),
        ((BACKWARD,), Severity.WARNING),
        ((ITERATION, BRANCH), Severity.WARNING),
        ((TRAINED,), Severity.WARNING),
        ((TRAINED, GRAD, BACKWARD), Severity.WARNING),
        ((GRAD, BACKWARD), Severity.HINT),
        ((GRAD, BRANCH, BACKWARD), Severity.HINT),
        ((GRAD, replace(BACKWARD, expected=True)), Severity.WARNING),
        ((GUESS,), Severity.HINT),
        ((TRAINED, GUESS), Severity.HINT),
    ],
)
def test_what_is_assumed_decides_the_severity(assumptions: tuple[Assumption, ...], severity: Severity) -> None:
    assert only(stale(assumptions=assumptions)).severity is severity


@pytest.mark.parametrize(
    ("assumption", "clause"),
    [
        (BRANCH, "if `training` is true (line 6)"),
        (replace(BRANCH, holds=False), "if `training` is false (line 6)"),
        (GRAD, "if `x` requires grad"),
        (replace(GRAD, holds=False), "if `x` does not require grad"),
        (ITERATION, "from the second iteration of the loop in line 6 on"),
        (TRAINED, "if `Net` is trained"),
        (GUESS, "if `f` returns its argument"),
    ],
)
def test_the_message_names_what_it_assumes(assumption: Assumption, clause: str) -> None:
    words = only(stale(assumptions=(assumption,))).words
    assert words.headline == "`z.sum().backward()` may raise: it needs `y`, which this changes"
    assert words.when == clause
    assert f". {clause[0].upper()}{clause[1:]}, `exp` (line 5) has saved it at version 0, " in words.message


def test_the_callers_backward_is_what_fails_and_no_line_is_said_to_be_it() -> None:
    function = Program("def f(y):\n    y += 1\n    return y\n")
    site = next(iter(function.source.chunks)).body[0]
    callers = Site(next(iter(function.source.chunks)), site)
    diagnostic = only(stale(backward=callers, site=function.site("y += 1"), assumptions=(BACKWARD,)))
    assert diagnostic.words.headline.startswith("`backward()` may raise: it needs `y`")
    assert diagnostic.words.when == "if the caller calls `backward()` on what `f` returns"
    assert diagnostic.message.endswith("and the caller's `backward()` reads it again.")
    assert diagnostic.related[-1].message == "its caller runs backward through what it returns"


def test_several_assumptions_are_joined_and_told_once() -> None:
    assert only(stale(assumptions=(GRAD, BRANCH, GRAD))).words.when == (
        "if `x` requires grad and `training` is true (line 6)"
    )
    assert only(stale(assumptions=(GRAD, BRANCH, ITERATION, TRAINED))).words.when == (
        "from the second iteration of the loop in line 6 on, if `x` requires grad, `training` is true (line 6) and "
        "`Net` is trained"
    )


def test_being_trained_means_that_backward_is_called() -> None:
    assert said(stale(assumptions=(GRAD, TRAINED, BACKWARD))) == said(stale(assumptions=(GRAD, TRAINED)))


def test_a_leaf_that_is_assumed_to_require_grad_is_not_claimed_to() -> None:
    message = said(at_once("leaf-inplace", assumptions=(GRAD,)))
    assert message.startswith("This may raise: `w` is a leaf, changed in place. If `x` requires grad, ")


def test_a_long_condition_is_cut() -> None:
    long = Assumption("branch", "a_rather_long_name > another_rather_long_name +\n    1")
    assert "If `a_rather_long_name > another_rather_lon…` is true," in said(stale(assumptions=(long,)))


# -- merging and order ------------------------------------------------------------------------


def test_failures_of_one_rule_at_one_site_are_one_diagnostic_as_severe_as_the_worst() -> None:
    other = Saved(SAVED_AND_CHANGED.site("torch.ones(3, requires_grad=True)"), "mul", "other", "y", 0)
    hint, error = stale(saved=other, assumptions=(GUESS,)), stale()
    (diagnostic,) = diagnose(Report([hint, error]))
    assert diagnostic.severity is Severity.ERROR
    assert diagnostic.failure == error
    assert diagnostic.message == said(error)
    assert [related.message.split()[0] for related in diagnostic.related] == ["`exp`", "`mul`", "`z`", "needs"]


def test_related_places_are_six_at_most_and_the_ends_of_the_story_stay() -> None:
    text = "".join(f"z{n} = y\n" for n in range(9))
    program = Program(text)
    hops = tuple(Hop(program.site(f"z{n} = y"), "alias", f"z{n}") for n in range(9))
    related = only(stale(hops=hops)).related
    assert len(related) == MOST_RELATED == 6
    assert related[0].site == SAVED_AND_CHANGED.site("torch.exp(x)")
    assert related[-1].site == SAVED_AND_CHANGED.site("z.sum().backward()")


def test_diagnostics_come_in_the_order_of_files_and_positions() -> None:
    earlier = Program("a += 1\nb += 1\n", "a.py")
    failures = [
        stale(),
        at_once("leaf-inplace"),
        at_once("leaf-inplace", site=earlier.site("b += 1")),
        at_once("leaf-inplace", site=earlier.site("a += 1")),
    ]
    assert [(d.site.chunk.path, d.site.chunk.line_of(d.site.node)) for d in diagnose(Report(failures))] == [
        ("a.py", 0),
        ("a.py", 1),
        ("main.py", 1),
        ("main.py", 6),
    ]


def test_two_rules_may_speak_of_one_site() -> None:
    codes = [d.rule.code for d in diagnose(Report([stale(cause="update"), stale()]))]
    assert codes == ["GG101", "GG102"]


def test_a_failure_that_no_rule_is_about_is_left_out() -> None:
    assert diagnose(Report([at_once("other")])) == []


# -- what has no failure ----------------------------------------------------------------------


def test_an_unused_suppression_names_its_idle_codes() -> None:
    site: Site = SAVED_AND_CHANGED.site("z = y")
    diagnostic = unused_suppression(site, ["GG101", "GG111"])
    assert (diagnostic.rule.code, diagnostic.severity) == ("GG900", Severity.WARNING)
    assert diagnostic.message == "Nothing is reported here for GG101, GG111: this suppression can go."
    assert diagnostic.words.headline == "Nothing is reported here for GG101, GG111: this suppression can go"
    assert diagnostic.words.label == "silences nothing"
    assert unused_suppression(site, []).message == "Nothing is reported here: this suppression can go."
    assert unused_suppression(site, [], "zh-cn").message == "此处没有任何诊断：可以删除这条抑制注释。"


def test_a_suppressed_code_that_no_rule_has_is_told_with_the_one_that_was_meant() -> None:
    site: Site = SAVED_AND_CHANGED.site("z = y")
    said = [unused_suppression(site, codes).words.headline for codes in (["GG101", "GG1o1"], ["lost-leef"], ["GG"])]
    assert said == [
        "There is no rule GG1o1; did you mean GG101?",
        "There is no rule lost-leef; did you mean lost-leaf?",
        "There is no rule GG: this suppression can go",
    ]
    assert unused_suppression(site, ["GG1o1"], "zh-cn").words.headline == "没有规则 GG1o1；是否指 GG101？"


@pytest.mark.parametrize(
    ("severity", "label", "level"),
    [
        (Severity.ERROR, "error", "error"),
        (Severity.WARNING, "warning", "warning"),
        (Severity.INFORMATION, "information", "note"),
        (Severity.HINT, "hint", "note"),
    ],
)
def test_severities_have_names_and_sarif_levels(severity: Severity, label: str, level: str) -> None:
    assert (severity.label, severity.level) == (label, level)
