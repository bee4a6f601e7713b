"""The parts of speech that messages are made of: a tensor, a place, what saved it, under which conditions.

Each function takes what it tells of and a locale, and gives a fragment that fits into a template of
`messages.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..syntax import ir
from .messages import ENGLISH, Locale, say

if TYPE_CHECKING:
    from ..analyses.domain.report import Assumption, Failure, Hop, Saved, Site, Write

LONGEST_QUOTE = 40
"""how many characters of a condition's text a message shows"""


def tensor(name: str | None, locale: Locale, unnamed: str = "tensor-unnamed") -> str:
    """A tensor by the user's name, or what to call one that has none."""
    return say("tensor", locale, name=name) if name else say(unnamed, locale)


def place(site: Site, seen_from: Site, locale: Locale) -> str:
    """Where a site is: its line, and its file or its notebook's cell where that is another one."""
    cell, line = site.chunk.place_of(site.node)
    line += 1
    path = site.chunk.path
    if path == seen_from.chunk.path:
        if cell == seen_from.chunk.place_of(seen_from.node)[0]:
            return say("line", locale, line=line)
        return say("cell-line", locale, cell=cell, line=line)
    return f"{path.replace(chr(92), '/').rpartition('/')[2]}:{line}"


def where(site: Site, seen_from: Site, locale: Locale) -> str:
    """“here”, or “in line 5” for a site other than the diagnostic's own."""
    if site == seen_from:
        return say("here", locale)
    return say("there", locale, place=place(site, seen_from, locale))


def how(via: str, locale: Locale) -> str:
    """The operator or method in parentheses, or nothing where it has no name."""
    return say("how", locale, via=via) if via else ""


def versions(write: Write | None, locale: Locale) -> str:
    """“ (version 0 → 1)”, or nothing where the numbers are not known."""
    if write is None or write.before is None or write.after is None or write.before == write.after:
        return ""
    return say("versions", locale, before=write.before, after=write.after)


def at_version(saved: Saved | None, locale: Locale) -> str:
    """“ at version 0”, or nothing where the number is not known."""
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
    """The station that tells how the tensor became what it is."""
    return next((hop for hop in failure.hops if hop.kind in ("leaf", "view", "freed", "built")), None)


def role(saved: Saved, locale: Locale) -> str:
    """What the tensor is to the operation that saved it: “its input”, “its weight”, “its `other`”.

    A method's `self` is its input; a module's own tensors go without the module (`self.weight`).
    """
    name = saved.role.removeprefix("self.")
    name = _ROLES.get(name.rstrip("0123456789"), name)
    key = f"role-{name}"
    return say(key if key in ENGLISH else "role-other", locale, role=name)


_ROLES = {"self": "input", "out": "result", "indices": "index", "targets": "target"}


def saver(failure: Failure, locale: Locale) -> str:
    """The operation that saved the tensor, and its place."""
    saved = failure.saved
    if saved is None or not saved.op:
        return say("saver-unknown", locale)
    return say("saver", locale, op=saved.op, place=place(saved.site, failure.site, locale))


def saving(failure: Failure, locale: Locale) -> str:
    """“`exp` (line 5) saved it at version 0”, naming what it saved where that has another name."""
    saved, name = failure.saved, written_name(failure)
    words = {"saver": saver(failure, locale), "version": at_version(saved, locale)}
    if saved and saved.name and name and saved.name != name:
        return say("saved-other", locale, other=tensor(saved.name, locale), **words)
    return say("saved-it", locale, **words)


def written_name(failure: Failure) -> str | None:
    """The changed tensor's name: as the write has it, else as the failure does."""
    return failure.write.name if failure.write and failure.write.name else failure.name


def change(failure: Failure, locale: Locale, subject: str | None = None) -> str:
    """“`y` is changed in place here (version 0 → 1)”; for an optimizer or a library, what changes it.

    `subject` stands for the tensor where the sentence has named it already.
    """
    write = failure.write
    site = write.site if write else failure.site
    by_user = write is None or write.by == "user"
    named = subject or tensor(written_name(failure), locale, "tensor-unnamed" if by_user else "tensor-parameter")
    words = {
        "tensor": named,
        "where": where(site, failure.site, locale),
        "versions": versions(write, locale),
        "via": write.via if write else failure.via,
    }
    return say("changed-by" if words["via"] and not by_user else "changed", locale, **words)


def backward(failure: Failure, locale: Locale) -> str:
    """The call that fails, with its place where that is known; “it” where a condition has named it."""
    if failure.backward is not None:
        call = call_name(failure.backward)
        if failure.backward == failure.site:
            return say("backward-here", locale, call=call)
        return say("backward-at", locale, call=call, place=place(failure.backward, failure.site, locale))
    named_before = any(a.kind == "backward" for a in conditions(failure))
    return say("backward-it" if named_before else "backward", locale)


def call_name(site: Site) -> str:
    """`backward()`, `grad()`: the call at a site by the last part of its name."""
    node = site.node.value if isinstance(site.node, ir.ExprStmt) else site.node
    func = node.func if isinstance(node, ir.Call) else None
    if isinstance(func, ir.Attribute):
        return func.attr + "()"
    return func.id + "()" if isinstance(func, ir.Name) else "backward()"


def conditions(failure: Failure) -> list[Assumption]:
    """The assumptions that a message names; being trained implies that backward is called."""
    trained = any(a.kind == "trained" for a in failure.assumptions)
    return [a for a in failure.assumptions if not (trained and a.kind == "backward")]


def when(failure: Failure, locale: Locale) -> str:
    """“if `x` requires grad and from the second iteration on, ”, or nothing where nothing is assumed."""
    parts = dict.fromkeys(_condition(a, failure.site, locale) for a in conditions(failure))
    return say("when", locale, conditions=say("and", locale).join(parts)) if parts else ""


def _condition(assumption: Assumption, seen_from: Site, locale: Locale) -> str:
    kind, at = assumption.kind, assumption.site
    where_at = place(at, seen_from, locale) if at else ""
    if kind == "iteration":
        return say("when-iteration-at" if at else "when-iteration", locale, place=where_at)
    key = f"when-not-{kind}" if not assumption.holds and kind in ("branch", "requires-grad") else f"when-{kind}"
    in_brackets = say("made", locale, place=where_at) if at else ""
    return say(key, locale, subject=_subject(assumption, locale), made=in_brackets)


def _subject(assumption: Assumption, locale: Locale) -> str:
    text = " ".join(assumption.subject.split())
    if not text:
        return say(f"some-{assumption.kind}", locale)
    if assumption.kind == "guess":
        return text
    return say("quote", locale, text=text if len(text) <= LONGEST_QUOTE else text[: LONGEST_QUOTE - 1] + "…")


def raises(failure: Failure, locale: Locale) -> str:
    """“this raises at once”, or where the error comes if it comes later."""
    if failure.raised is None or failure.raised == failure.site:
        return say("raises", locale)
    return say("raises-later", locale, place=place(failure.raised, failure.site, locale))


def leaf(failure: Failure, locale: Locale) -> str:
    """“a leaf that requires grad”, or just “a leaf” where that it does is what the message assumes."""
    assumed = any(a.kind == "requires-grad" for a in failure.assumptions)
    return say("leaf-assumed" if assumed else "leaf", locale)


def at_once(key: str, failure: Failure, locale: Locale, **more: str) -> str:
    """The sentence `key` about a failure that raises where the tensor is used, from its usual parts.

    Where the tensor is only read here, and its memory was written before, the sentence tells that instead.
    """
    if failure.write is not None and failure.write.site != failure.site:
        return _spoilt(key, failure, locale)
    return sentence(
        key,
        locale,
        tensor=tensor(failure.name, locale),
        how=how(failure.via, locale),
        made=made(failure, locale),
        when=when(failure, locale),
        raises=raises(failure, locale),
        **more,
    )


def _spoilt(key: str, failure: Failure, locale: Locale) -> str:
    """The sentence about a view that may not be used any more, since its memory was changed."""
    return sentence(
        "spoilt",
        locale,
        change=change(failure, locale),
        reason=say(f"spoilt-{key}", locale, made=made(failure, locale)),
        when=when(failure, locale),
        raises=raises(failure, locale),
    )


def sentence(key: str, locale: Locale, **words: object) -> str:
    """A template filled in, with a capital letter at its beginning."""
    text = say(key, locale, **words)
    return text[0].upper() + text[1:]


def stale(failure: Failure, locale: Locale) -> str:
    """The sentence about a saved tensor that was changed, from its usual parts."""
    return sentence(
        "stale",
        locale,
        change=change(failure, locale),
        saved=saving(failure, locale),
        when=when(failure, locale),
        backward=backward(failure, locale),
    )


def beside(site: Site, seen_from: Site, locale: Locale) -> str:
    """A place in parentheses."""
    return say("made", locale, place=place(site, seen_from, locale))
