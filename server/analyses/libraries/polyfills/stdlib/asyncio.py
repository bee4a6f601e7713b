"""Coroutines: the replay runs one where it is called, so that all functions here get its result."""

from queue import LifoQueue, Queue


def run(main, *, debug=None):
    return main


def create_task(coro, *, name=None, context=None):
    return coro


def ensure_future(coro_or_future, *, loop=None):
    return coro_or_future


def wait_for(fut, timeout):
    return fut


def shield(arg):
    return arg


def gather(*coros_or_futures, return_exceptions=False):
    return list(coros_or_futures)


def sleep(delay, result=None):
    return result
