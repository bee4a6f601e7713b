"""Iterators that call the program while they run; those that only arrange items are native (`python/itertools.py`)."""

from gradguard import known


def accumulate(iterable, func=None, *, initial=None):
    items = iter(iterable)
    if initial is None:
        try:
            initial = next(items)
        except StopIteration:
            return
    total = initial
    yield total
    for item in items:
        total = total + item if func is None else func(total, item)
        yield total


def starmap(function, iterable):
    for args in iterable:
        yield function(*args)


def _is(answer, value):
    """Whether the truth of an answer is known to be this."""
    truth = bool(answer)
    return known(truth) and truth is value


def takewhile(predicate, iterable):
    for item in iterable:
        if _is(predicate(item), False):
            return
        yield item


def dropwhile(predicate, iterable):
    begun = False
    for item in iterable:
        begun = begun or not _is(predicate(item), True)
        if begun:
            yield item


def filterfalse(function, iterable):
    for item in iterable:
        if not _is(item if function is None else function(item), True):
            yield item


def compress(data, selectors):
    for item, selector in zip(data, selectors):
        if not _is(selector, False):
            yield item
