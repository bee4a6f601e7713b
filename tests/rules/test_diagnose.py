"""From failures to diagnostics: messages, severities, related places, merging, order."""

from __future__ import annotations

from dataclasses import replace

import pytest
from gradguard.analyses.domain.report import Assumption, Failure, Hop, Report, Saved, Site, Write
from gradguard.rules import RULES
from gradguard.rules.diagnostic import MOST_RELATED, Diagnostic, Severity, diagnose, unused_suppression
from gradguard.rules.messages import CATALOGUES, Locale

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
    assert diagnostic.message == (
        "`y` is changed in place here (version 0 → 1), but `exp` (line 5) saved it at version 0: "
        "`backward()` (line 8) will raise."
    )


def test_the_message_in_chinese() -> None:
    assert said(stale(), "zh-cn") == (
        "`y` 在此处被就地修改（版本 0 → 1），但 `exp`（第 5 行）已为反向传播保存了它，版本为 0："
        "`backward()`（第 8 行）将报错。"
    )


def test_what_is_not_known_is_left_out() -> None:
    write = Write(SAVED_AND_CHANGED.site("y += 1"), "+=", None, None, None)
    saved = Saved(SAVED_AND_CHANGED.site("torch.exp(x)"), "exp", "result", None, None)
    assert said(stale(name=None, write=write, saved=saved, backward=None)) == (
        "This tensor is changed in place here, but `exp` (line 5) saved it: `backward()` will raise."
    )


def test_a_tensor_that_was_saved_under_another_name_is_named() -> None:
    saved = Saved(SAVED_AND_CHANGED.site("torch.exp(x)"), "exp", "result", "base", 0)
    assert "but `exp` (line 5) saved `base` at version 0, whose memory it shares:" in said(stale(saved=saved))


def test_the_related_places_tell_the_story_in_order() -> None:
    site = SAVED_AND_CHANGED.site
    assert [(related.site, related.message) for related in only(stale()).related] == [
        (site("torch.exp(x)"), "`exp` saves `y` here for backward at version 0 (its result)"),
        (site("z = y"), "`z` names the same memory from here on"),
        (site("z.sum().backward()"), "This backward needs it as it was when it was saved"),
    ]


def test_a_change_elsewhere_is_a_related_place() -> None:
    elsewhere = stale(site=SAVED_AND_CHANGED.site("z = y"), hops=())
    assert "`y` is changed in place in line 7 (version 0 → 1)" in said(elsewhere)
    assert [related.message for related in only(elsewhere).related] == [
        "`exp` saves `y` here for backward at version 0 (its result)",
        "`y` is changed here (`+=`) (version 0 → 1)",
        "This backward needs it as it was when it was saved",
    ]


def test_a_place_in_another_file_is_told_with_its_file() -> None:
    helper = Program("def f(x):\n    return x.exp()\n", "lib/helper.py")
    saved = Saved(helper.site("x.exp()"), "exp", "result", "y", 0)
    assert "`exp` (helper.py:2) saved it" in said(stale(saved=saved))


def test_the_call_that_fails_is_named() -> None:
    program = Program("y += 1\ntorch.autograd.grad(y, x)\n")
    failure = stale(backward=program.site("torch.autograd.grad(y, x)"))
    assert said(failure).endswith("`grad()` (line 2) will raise.")


def test_an_update_names_what_updates() -> None:
    write = Write(SAVED_AND_CHANGED.site("y += 1"), "optimizer.step()", "net.weight", 1, 2, "optimizer")
    diagnostic = only(stale(cause="update", write=write, name="net.weight"))
    assert diagnostic.rule.code == "GG102"
    assert diagnostic.message.startswith("`optimizer.step()` changes `net.weight` in place here (version 1 → 2), but")
    unnamed = only(stale(cause="update", write=replace(write, name=None), name=None))
    assert unnamed.message.startswith("`optimizer.step()` changes a parameter in place here (version 1 → 2), but")


def test_a_silent_write_says_that_nothing_is_raised() -> None:
    write = Write(SAVED_AND_CHANGED.site("y += 1"), ".data", "y", 0, 0)
    diagnostic = only(stale(kind="silent-stale", write=write))
    assert diagnostic.rule.code == "GG111"
    assert diagnostic.message == (
        "`y` is changed here (`.data`) where its version counter cannot see it, but `exp` (line 5) saved it at "
        "version 0: `backward()` (line 8) will raise nothing and compute wrong gradients."
    )


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
        "`h` (line 6) carries an earlier iteration's graph into this one. In it `rnn` (line 2) saved `rnn.weight` at "
        "version 2, and `opt.step()` changes it in place here (version 2 → 3): from the second iteration on, "
        "`backward()` (line 4) will raise."
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
        "`h` (line 6) carries an earlier iteration's graph into this one, and that iteration's backward has freed "
        "what `rnn` (line 2) saved: `backward()` will raise."
    )
    unnamed = replace(freed, hops=(), name=None, saved=None)
    assert said(unnamed).startswith("A tensor that outlives the iteration carries an earlier iteration's graph")


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
            "`w` is changed in place here (`-=`), but it is a leaf that requires grad (line 1): this raises at once.",
        ),
        (
            at_once("leaf-inplace", detail="late"),
            "GG201",
            "`w` is changed in place here (`-=`), but it is a view (line 1) of memory that came to require grad later, "
            "and counts as a leaf still: this raises at once.",
        ),
        (
            at_once("view-of-leaf-inplace"),
            "GG202",
            "`w` is changed in place here (`-=`) through a view of a leaf that requires grad (line 1): this raises at "
            "once.",
        ),
        (
            at_once("multi-view-inplace", hops=(Hop(AT_ONCE.site("make()"), "view", "w", detail="unbind"),)),
            "GG203",
            "`w` is changed in place here (`-=`), but one call (`unbind`, line 1) made several views of its memory: "
            "this raises at once.",
        ),
        (
            at_once("multi-view-inplace", raised=AT_ONCE.site("use(w)")),
            "GG203",
            "`w` is changed in place here (`-=`), but one call (line 1) made several views of its memory: the next "
            "use (line 3) raises.",
        ),
        (
            at_once("multi-view-inplace", detail="custom"),
            "GG203",
            "`w` is changed in place here (`-=`), but it came as a view out of a custom Function or a hooked module "
            "(line 1): this raises at once.",
        ),
        (
            at_once("no-grad-view-inplace"),
            "GG204",
            "`w` is changed in place here (`-=`), but it is a view made without grad mode (line 1): this raises at "
            "once.",
        ),
        (
            at_once("overlap-write"),
            "GG205",
            "`w` is changed in place here (`-=`), but several of its elements share one place in memory (line 1): "
            "this raises at once.",
        ),
        (
            at_once("overlap-write", detail="input", hops=()),
            "GG205",
            "`w` is changed in place here (`-=`) from values that lie in the same memory: this raises at once.",
        ),
        (
            at_once("out-grad", via="mm", hops=()),
            "GG206",
            "`out=` writes into `w` here, but autograd does not record `out=`, and one of the tensors requires grad: "
            "this raises at once.",
        ),
        (
            at_once("inference-tensor", detail="written"),
            "GG207",
            "`w` is changed in place here (`-=`), but it is an inference tensor (line 1): this raises at once.",
        ),
        (
            at_once("inference-tensor", detail="saved", via="mul"),
            "GG207",
            "`mul` has to save `w` for backward here, but it is an inference tensor (line 1): this raises at once.",
        ),
        (
            at_once("inference-tensor", detail="saved", via="", hops=()),
            "GG207",
            "This operation has to save `w` for backward here, but it is an inference tensor: this raises at once.",
        ),
        (
            at_once(
                "freed-graph",
                saved=Saved(AT_ONCE.site("make()"), "exp", "result", "w", 0),
                hops=(Hop(AT_ONCE.site("make()"), "freed"),),
            ),
            "GG301",
            "This backward needs what `exp` (line 1) saved, but an earlier backward (line 1) has freed it: this "
            "raises at once.",
        ),
        (
            at_once("nonleaf-grad"),
            "GG302",
            "`.grad` of `w` is read here, but `w` is the result of an operation (line 1), not a leaf: it is None.",
        ),
        (
            at_once("gradcheck", via="gradcheck", detail="float32"),
            "GG401",
            "`gradcheck` compares gradients with finite differences, which need double precision, but `w` is float32 "
            "(line 1): it reports a mismatch.",
        ),
        (
            at_once("gradcheck", cause="function", via="gradcheck", detail="backward", name=None, hops=()),
            "GG403",
            "`gradcheck` compares the gradient of backward with finite differences, but this backward computes another "
            "derivative: it reports a mismatch.",
        ),
        (
            at_once("gradcheck", cause="function", via="gradcheck", detail="random", name=None, hops=()),
            "GG403",
            "`gradcheck` runs backward twice, but this backward draws random numbers: it reports that backward is not "
            "reentrant.",
        ),
        (
            at_once("requires-grad-dtype", detail="int64", hops=()),
            "GG402",
            "`w` is `int64`, and only floating point and complex tensors can require grad: this raises at once.",
        ),
        (
            at_once("requires-grad-dtype", name=None, hops=()),
            "GG402",
            "This tensor is an integer tensor, and only floating point and complex tensors can require grad: this "
            "raises at once.",
        ),
        (
            at_once("other", cause="function", detail="dirty-leaf"),
            "GG501",
            "A custom Function marks `w` as changed in place here (`-=`), but it is a leaf that requires grad "
            "(line 1): this raises at once.",
        ),
        (
            at_once("other", cause="function", detail="dirty-lost", via="Fn.apply"),
            "GG501",
            "A custom Function marks `w` as changed in place here (`Fn.apply`), but `forward` does not return it: this "
            "raises at once.",
        ),
        (
            at_once(
                "other", cause="function", detail="gradient-count", via="Fn.backward", facts={"given": 1, "taken": 2}
            ),
            "GG501",
            "The number of gradients that the `backward` of a custom Function returns here (`Fn.backward`) is 1, but "
            "its `forward` got 2 inputs: this raises at once.",
        ),
        (
            at_once("deepcopy-nonleaf", via="deepcopy"),
            "GG601",
            "`deepcopy` reaches `w` here, which is the result of an operation (line 1), not a leaf: this raises at "
            "once.",
        ),
    ],
)
def test_what_is_said_of_a_failure_that_raises_at_once(failure: Failure, code: str, message: str) -> None:
    diagnostic = only(failure)
    assert diagnostic.rule.code == code
    assert diagnostic.message == message


def test_the_contract_of_a_custom_function_is_told_with_the_stale_tensor() -> None:
    message = said(stale(cause="function"))
    assert message.startswith("`y` is changed in place here (version 0 → 1), but `exp` (line 5) saved it")
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
        ((GUESS,), Severity.HINT),
        ((TRAINED, GUESS), Severity.HINT),
    ],
)
def test_what_is_assumed_decides_the_severity(assumptions: tuple[Assumption, ...], severity: Severity) -> None:
    assert only(stale(assumptions=assumptions)).severity is severity


@pytest.mark.parametrize(
    ("assumption", "clause"),
    [
        (BRANCH, "if `training` holds (line 6), `backward()` (line 8) will raise."),
        (replace(BRANCH, holds=False), "if `training` does not hold (line 6), `backward()` (line 8) will raise."),
        (GRAD, "if `x` requires grad, `backward()` (line 8) will raise."),
        (replace(GRAD, holds=False), "if `x` does not require grad, `backward()` (line 8) will raise."),
        (ITERATION, "from the second iteration of the loop in line 6 on, `backward()` (line 8) will raise."),
        (TRAINED, "when `Net` is trained, `backward()` (line 8) will raise."),
        (GUESS, "assuming `f` returns its argument, `backward()` (line 8) will raise."),
    ],
)
def test_the_message_names_what_it_assumes(assumption: Assumption, clause: str) -> None:
    assert said(stale(assumptions=(assumption,))).endswith(": " + clause)


def test_the_callers_backward_is_what_fails() -> None:
    message = said(stale(backward=None, assumptions=(BACKWARD,)))
    assert message.endswith(": when the caller calls `backward()` on the result, it will raise.")


def test_several_assumptions_are_joined_and_told_once() -> None:
    message = said(stale(assumptions=(GRAD, BRANCH, GRAD)))
    assert ": if `x` requires grad and if `training` holds (line 6), `backward()`" in message


def test_being_trained_means_that_backward_is_called() -> None:
    assert said(stale(assumptions=(GRAD, TRAINED, BACKWARD))) == said(stale(assumptions=(GRAD, TRAINED)))


def test_a_leaf_that_is_assumed_to_require_grad_is_not_claimed_to() -> None:
    message = said(at_once("leaf-inplace", assumptions=(GRAD,)))
    assert message.endswith("but it is a leaf (line 1): if `x` requires grad, this raises at once.")


def test_a_long_condition_is_cut() -> None:
    long = Assumption("branch", "a_rather_long_name > another_rather_long_name +\n    1")
    assert "if `a_rather_long_name > another_rather_lon…` holds," in said(stale(assumptions=(long,)))


# -- merging and order ------------------------------------------------------------------------


def test_failures_of_one_rule_at_one_site_are_one_diagnostic_as_severe_as_the_worst() -> None:
    other = Saved(SAVED_AND_CHANGED.site("torch.ones(3, requires_grad=True)"), "mul", "other", "y", 0)
    hint, error = stale(saved=other, assumptions=(GUESS,)), stale()
    (diagnostic,) = diagnose(Report([hint, error]))
    assert diagnostic.severity is Severity.ERROR
    assert diagnostic.failure == error
    assert diagnostic.message == said(error)
    assert [related.message.split()[0] for related in diagnostic.related] == ["`exp`", "`mul`", "`z`", "This"]


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
    assert unused_suppression(site, []).message == "Nothing is reported here: this suppression can go."
    assert unused_suppression(site, [], "zh-cn").message == "此处没有任何诊断：可以删除这条抑制注释。"


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
