"""The parts of speech that messages are made of: a tensor, a place, what saved it, under which conditions.

Each function takes what it tells of and a locale, and gives a fragment that fits into a template of
`messages.py`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..analyses.domain.report import MAX_BRANCHES
from ..syntax import ir
from .messages import ENGLISH, Locale, say
from .wording import worded

if TYPE_CHECKING:
    from ..analyses.domain.report import Assumption, Failure, Hop, Saved, Site, Write
    from .wording import Choice, Wording

LONGEST_QUOTE = 40
"""how many characters of a condition's text a message shows"""

LONGEST_CALL = 40
"""how many characters the name of a call has at most that a message shows whole"""

LONGEST_NAMES = 24, 16
"""how many characters of a name a headline shows that would be too long else, and is so still"""

_SHARING = re.compile("gives (the tensor itself|a view)")


def tensor(name: str | None, locale: Locale, unnamed: str = "tensor-some") -> str:
    """A tensor by the user's name, or what to call one that has none."""
    return say("tensor", locale, name=name) if name else say(unnamed, locale)


def names(name: str | None, locale: Locale, unnamed: str = "tensor-some", short: str = "") -> tuple[str, ...]:
    """A tensor by the user's name, shortened if it is long, or else a phrase for one; also in short."""
    if not name:
        return say(unnamed, locale), say(short or unnamed, locale)
    return tensor(name, locale), *(tensor(_end(name, longest), locale) for longest in LONGEST_NAMES)


def _end(name: str, longest: int) -> str:
    if len(name) <= longest:
        return name
    called = next((i for i in reversed(range(len(name))) if _is_balanced(name[i:])), 0) if name.endswith(")") else 0
    if called and not name.endswith("(…)"):
        return _end(f"{name[:called]}(…)", longest)
    end = name[1 - longest :]
    starts = (i for i, char in enumerate(end) if char in ".[" and _is_balanced(end[i:]))
    return "…" + end[next(starts, 0) :]  # no part of a word, where that can be


def _is_balanced(text: str) -> bool:
    """Whether all brackets of a piece of a name are closed in it."""
    depth = 0
    for char in text:
        depth += (char in "([{") - (char in ")]}")
        if depth < 0:
            return False
    return depth == 0


def place(site: Site, seen_from: Site, locale: Locale) -> str:
    """Where a site is: its line, and its file or notebook cell if that is another one."""
    cell, line = site.chunk.place_of(site.node)
    line += 1
    path = site.chunk.path
    if path == seen_from.chunk.path:
        if cell == seen_from.chunk.place_of(seen_from.node)[0]:
            return say("line", locale, line=line)
        return say("cell-line", locale, cell=cell, line=line)
    return f"{path.replace(chr(92), '/').rpartition('/')[2]}:{line}"


def how(via: str, locale: Locale) -> str:
    """The operator or method that changes a tensor."""
    return say("how", locale, via=via) if via else say("how-unknown", locale)


def versions(write: Write | None, locale: Locale) -> str:
    """“: version 0 → 1”, or nothing if the numbers are unknown."""
    if write is None or write.before is None or write.after is None or write.before == write.after:
        return ""
    return say("versions", locale, before=write.before, after=write.after)


def at_version(saved: Saved | None, locale: Locale) -> str:
    """“ at version 0”, or nothing if the number is unknown."""
    return say("at-version", locale, version=saved.version) if saved and saved.version is not None else ""


def made(failure: Failure, locale: Locale) -> str:
    """In parentheses, where the tensor became what it is (a leaf, a view …), and by which operation."""
    hop = origin(failure)
    if hop is None or hop.site == failure.site:
        return ""
    where_made = place(hop.site, failure.site, locale)
    if hop.detail:
        return say("made-by", locale, op=hop.detail, place=where_made)
    return say("made", locale, place=where_made)


def origin(failure: Failure) -> Hop | None:
    """The station at which the tensor became what it is."""
    return next((hop for hop in failure.hops if hop.kind in ("leaf", "view", "freed", "built")), None)


def role(saved: Saved, locale: Locale) -> str:
    """What the tensor is to the operation that saved it: “its input”, “its weight”, “its argument `other`”.

    A method's `self` is its input; a module's own tensors go without the module (`self.weight`).
    """
    name = saved.role.removeprefix("self.")
    name = _ROLES.get(name.rstrip("0123456789"), name)
    key = f"role-{name}"
    other = "role-other" if name == saved.role else "role-own"
    return say(key if key in ENGLISH else other, locale, role=name)


_ROLES = {"self": "input", "out": "result", "indices": "index", "targets": "target"}


def saver(failure: Failure, locale: Locale) -> str:
    """The operation that saved the tensor, and its place."""
    op, site = _saving(failure)
    if not op or site is None:
        return say("saver-unknown", locale)
    return say("saver", locale, op=op, place=place(site, failure.site, locale))


def saving_op(failure: Failure, locale: Locale) -> str:
    """The operation that saved the tensor."""
    op, _ = _saving(failure)
    return say("quote", locale, text=op) if op else say("saver-unknown", locale)


def _saving(failure: Failure) -> tuple[str, Site | None]:
    if failure.saved is not None:
        return failure.saved.op, failure.saved.site
    hop = next((hop for hop in failure.hops if hop.kind == "saved"), None)
    return (hop.detail, hop.site) if hop else ("", None)


def target(failure: Failure) -> str | None:
    """The name of what is used; for an assigned item, that of the item."""
    node, text = failure.site.node, failure.site.chunk.text
    if failure.name and isinstance(node, ir.Subscript) and failure.via.endswith("="):
        item = text[node.start : node.end]
        return item if "\n" not in item and "`" not in item else failure.name
    return failure.name


def written_name(failure: Failure) -> str | None:
    """The changed tensor's name: as the write has it, else as the failure does."""
    return failure.write.name if failure.write and failure.write.name else failure.name


def needed_name(failure: Failure) -> str | None:
    """The name of the tensor that backward needs: as it was saved.

    If that name begins with a `self` that may be another object here, the name in the change is used instead.
    """
    name = failure.saved.name if failure.saved else None
    if name is None or (failure.write is not None and name == failure.write.own and name.startswith("self.")):
        return written_name(failure)
    return name


def other_name(failure: Failure) -> str | None:
    """The name under which a saved tensor is changed, if that is another one."""
    name = written_name(failure)
    return name if name != needed_name(failure) else None


def what_changes(write: Write) -> str:
    """The operator, method or call that changes a tensor: a library's call as the program writes it."""
    called = call_text(write.site) if write.by != "user" else None
    return called or write.via


def changer(failure: Failure, locale: Locale) -> tuple[str, str]:
    """What changes the tensor, and the same in short: “`opt_d.step()`” or “this”, “line 7”."""
    write = failure.write
    here = write is None or write.site == failure.site
    short = say("this", locale) if here else place(write.site, failure.site, locale)  # type: ignore[union-attr]
    named = write is not None and write.by != "user" and write.via
    return (say("quote", locale, text=what_changes(write)) if named else short), short  # type: ignore[arg-type]


def where(site: Site, seen_from: Site, locale: Locale) -> str:
    """“here”, or “in line 5” for a site other than the diagnostic's own."""
    if site == seen_from:
        return say("here", locale)
    return say("there", locale, place=place(site, seen_from, locale))


def makes(failure: Failure, locale: Locale) -> str:
    """“this change makes it version 1”, with the name of the changed tensor if that is another one."""
    write, other = failure.write, other_name(failure)
    known = write is not None and write.after is not None and write.before != write.after
    key = "-".join(filter(None, ("other" if other else "", "version" if known else ""))) or "it"
    after = write.after if write else None
    what, _ = changer(failure, locale)
    return say(f"makes-{key}", locale, changer=what, tensor=tensor(other, locale), after=after)


def same_memory(failure: Failure, locale: Locale) -> str:
    """“, the memory of `x` too”, if a tensor is changed under another name than the one that it was saved under."""
    if other_name(failure) is None:
        return ""
    return say("label-same-memory", locale, tensor=tensor(needed_name(failure), locale))


def is_callers(site: Site) -> bool:
    """Whether a backward stands for what the callers of a function may do: its place is the function."""
    return isinstance(site.node, ir.FunctionDef)


def backward(failure: Failure, locale: Locale) -> tuple[str, str]:
    """The call that fails, as the program has it and in short."""
    short = say("backward", locale)
    if failure.backward is None or is_callers(failure.backward):
        return short, short
    text = call_text(failure.backward)
    return (say("quote", locale, text=text) if text else short), _named_call(failure.backward, locale)


def reader(failure: Failure, locale: Locale) -> str:
    """The backward that reads what was saved: “the backward in line 8”, “the caller's `backward()`”."""
    if failure.backward is None:
        return say("backward", locale)
    if is_callers(failure.backward):
        return say("backward-caller", locale)
    return say("backward-at", locale, place=place(failure.backward, failure.site, locale))


def _named_call(site: Site, locale: Locale) -> str:
    return say("quote", locale, text=call_name(site))


def call_name(site: Site) -> str:
    """`backward()`, `grad()`: the call at a site by the last part of its name."""
    func = _called(site)
    if isinstance(func, ir.Attribute):
        return func.attr + "()"
    return func.id + "()" if isinstance(func, ir.Name) else "backward()"


def call_text(site: Site) -> str | None:
    """`opt_d.step()`: the call at a site as the program writes it, without its arguments; None if it is no call."""
    func = _called(site)
    text = site.chunk.text[func.start : func.end] if func is not None else ""
    return text + "()" if 0 < len(text) <= LONGEST_CALL and "\n" not in text and "`" not in text else None


def _called(site: Site) -> ir.Expr | None:
    node = site.node.value if isinstance(site.node, ir.ExprStmt) else site.node
    return node.func if isinstance(node, ir.Call) else None


def conditions(failure: Failure) -> list[Assumption]:
    """The assumptions that a message names; being trained implies that backward is called.

    Of many branches, those around the change are left out: who reads the line sees them.
    """
    trained = any(a.kind == "trained" for a in failure.assumptions)
    many = sum(a.kind == "branch" for a in failure.assumptions) > MAX_BRANCHES
    return [a for a in failure.assumptions if not (trained and a.kind == "backward") and not (many and a.passed)]


def when(failure: Failure, locale: Locale) -> str:
    """“from the second iteration on, if `x` requires grad and …”, or nothing without assumptions."""
    told = conditions(failure)
    parts = [_iteration(a, failure.site, locale) for a in told if a.kind == "iteration"]
    facts = list(dict.fromkeys(_condition(a, failure, locale) for a in told if a.kind != "iteration"))
    if facts:
        *first, last = facts
        listed = say("and", locale).join([say("comma-if", locale).join(first), last] if first else [last])
        parts.append(say("if", locale, conditions=listed))
    return say("comma-if", locale).join(dict.fromkeys(parts))


def _iteration(assumption: Assumption, seen_from: Site, locale: Locale) -> str:
    if assumption.site is None:
        return say("when-iteration", locale)
    return say("when-iteration-at", locale, place=place(assumption.site, seen_from, locale))


def _condition(assumption: Assumption, failure: Failure, locale: Locale) -> str:
    kind, at = assumption.kind, assumption.site
    key = f"when-not-{kind}" if not assumption.holds and kind in ("branch", "requires-grad") else f"when-{kind}"
    in_brackets = beside(at, failure.site, locale) if at else ""
    return say(key, locale, subject=_subject(assumption, failure, locale), made=in_brackets)


def _subject(assumption: Assumption, failure: Failure, locale: Locale) -> str:
    text = " ".join(assumption.subject.split())
    if not text:
        called = failure.backward.node if failure.backward else None
        if assumption.kind == "backward" and isinstance(called, ir.FunctionDef):
            return say("some-returned", locale, name=called.name)
        return say(f"some-{assumption.kind}", locale)
    if assumption.kind in ("guess", "dtype", "layout", "named"):
        return text if assumption.holds else _SHARING.sub("gives a copy", text)
    return say("quote", locale, text=text if len(text) <= LONGEST_QUOTE else text[: LONGEST_QUOTE - 1] + "…")


def certainly(failure: Failure, yes: str, perhaps: str, locale: Locale) -> str:
    """One word for what happens in any case, the other for what happens under conditions."""
    return say(perhaps if conditions(failure) else yes, locale)


def raises(failure: Failure, locale: Locale) -> str:
    """“This raises”, or which use will raise if that comes later."""
    if failure.raised is None or failure.raised == failure.site:
        return certainly(failure, "this-raises", "this-may-raise", locale)
    at = place(failure.raised, failure.site, locale)
    return say("use-may-raise" if conditions(failure) else "use-raises", locale, place=at)


def leaf(failure: Failure, locale: Locale) -> tuple[str, str]:
    """“a leaf that requires grad”, or just “a leaf” if the message already assumes that it does."""
    assumed = any(a.kind == "requires-grad" for a in failure.assumptions)
    short = say("leaf-assumed", locale)
    return (short if assumed else say("leaf", locale)), short


def result(locale: Locale) -> tuple[str, str]:
    """What to call a tensor that isn't a leaf, and the same in short."""
    return say("result", locale), say("result-short", locale)


def in_place(locale: Locale) -> tuple[str, str]:
    """That something is changed in place, which goes without saying."""
    return say("changed-in-place", locale), ""


def at_once(key: str, failure: Failure, locale: Locale, label: str = "label-changes", **more: Choice) -> Wording:
    """The words for a failure that raises where the tensor is used: `key` is its headline, `label` its label.

    If the tensor is only read here, and its memory was written before, they say that instead.
    """
    if failure.write is not None and failure.write.site != failure.site:
        return _spoilt(key, failure, locale)
    return worded(
        key,
        locale,
        when(failure, locale),
        label,
        f"detail-{key}",
        **more,
        raises=raises(failure, locale),
        tensor=names(target(failure), locale, "tensor-this"),
        via=how(failure.via, locale),
        made=made(failure, locale),
    )


def of_several(failure: Failure, locale: Locale) -> Wording:
    """The words for a change of one of several views that one call made, or of their base."""
    hop = origin(failure)
    maker = say("maker", locale, op=hop.detail) if hop and hop.detail else say("maker-unknown", locale)
    later = failure.raised not in (None, failure.site)
    return at_once("multi-view-base" if later else "multi-view-inplace", failure, locale, maker=(maker, ""))


def _spoilt(key: str, failure: Failure, locale: Locale) -> Wording:
    """The words for a view that may not be used any more, since its memory was changed."""
    write = failure.write
    assert write is not None
    return worded(
        "spoilt",
        locale,
        when(failure, locale),
        "spoilt-label",
        "detail-spoilt",
        raises=raises(failure, locale),
        place=place(write.site, failure.site, locale),
        change=how(what_changes(write), locale),
        tensor=tensor(written_name(failure), locale),
        versions=versions(write, locale),
        reason=say(f"spoilt-{key}", locale, made=made(failure, locale)),
    )


def stale(failure: Failure, locale: Locale, detail: str = "detail-stale") -> Wording:
    """The words for a saved tensor that was changed."""
    return worded(
        "stale",
        locale,
        when(failure, locale),
        "label-written",
        detail,
        changer=changer(failure, locale),
        backward=backward(failure, locale),
        tensor=names(needed_name(failure), locale, unnamed(failure)),
        raises=certainly(failure, "will-raise", "may-raise", locale),
        saver=saver(failure, locale),
        version=at_version(failure.saved, locale),
        makes=makes(failure, locale),
        reader=reader(failure, locale),
        written=tensor(written_name(failure), locale, unnamed(failure)),
        other=same_memory(failure, locale),
        versions=versions(failure.write, locale),
    )


def unnamed(failure: Failure) -> str:
    """What to call a saved tensor without a name."""
    return "tensor-parameter" if failure.write is not None and failure.write.by == "optimizer" else "tensor-some"


def beside(site: Site, seen_from: Site, locale: Locale) -> str:
    """A place in parentheses."""
    return say("made", locale, place=place(site, seen_from, locale))
