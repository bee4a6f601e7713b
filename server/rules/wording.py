"""What a diagnostic says: a headline that can be read at a glance, a label for the place, and the rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .messages import say

if TYPE_CHECKING:
    from .messages import Locale

LONGEST = 80
"""how many characters a headline has at most"""


@dataclass(frozen=True, slots=True)
class Wording:
    """The words of a diagnostic.

    `headline` says what will happen and to whom, `label` what the text does that the squiggle is under, `when` under
    which conditions (empty where there are none), and `message` all of it but the label, in one or two sentences.
    """

    headline: str
    label: str
    when: str
    message: str


Choice = str | tuple[str, ...]
"""A word, or several that mean the same, the longest first."""


def worded(key: str, locale: Locale, when: str, label: str, detail: str, **words: Choice) -> Wording:
    """A wording by the templates of its headline, its label and the rest, and the words that go into them."""
    whole = {name: longest(word) for name, word in words.items()}
    headline = fitted(key, locale, words)
    told = say(detail, locale, **whole)
    if when:
        told = say("when-detail", locale, when=when, detail=told)
    message = say("message", locale, headline=headline, detail=capital(told))
    return Wording(headline, say(label, locale, **whole), when, message)


def brief(words: Wording, locale: Locale) -> str:
    """The words of a diagnostic if its related places stand below it: its headline and its conditions."""
    if not words.when:
        return words.headline
    only = capital(say("only-when", locale, when=words.when))
    return say("message", locale, headline=words.headline, detail=only)


def seen(message: str, time: str, confirmed: bool, locale: Locale) -> str:
    """A message, and when a run saw what it says; `confirmed`: a check without running says it, too."""
    return message + say("seen-confirmed" if confirmed else "seen-alone", locale, time=time)


def remark(key: str, locale: Locale, label: str, **words: Choice) -> Wording:
    """A wording of a headline and a label alone."""
    whole = {name: longest(word) for name, word in words.items()}
    text = say("full-stop", locale, text=capital(say(key, locale, **whole)))
    return Wording(fitted(key, locale, words), say(label, locale), "", text)


def remedy(code: str, locale: Locale) -> str:
    """What to do about a finding if no fix for it can be proven."""
    return say(f"remedy-{code}", locale)


def fitted(key: str, locale: Locale, words: dict[str, Choice]) -> str:
    """A headline within the allowed length, if its words allow that.

    If it gets too long, words are replaced by shorter ones, from the first on.
    """
    chosen = {name: longest(word) for name, word in words.items()}
    text = capital(say(key, locale, **chosen))
    for name, word in words.items():
        for shorter in word[1:] if isinstance(word, tuple) else ():
            if len(text) <= LONGEST:
                return text
            chosen[name] = shorter
            text = capital(say(key, locale, **chosen))
    return text


def longest(word: Choice) -> str:
    """The first of several words."""
    return word if isinstance(word, str) else word[0]


def capital(text: str) -> str:
    """The text with a capital letter at its beginning."""
    return text[0].upper() + text[1:]
