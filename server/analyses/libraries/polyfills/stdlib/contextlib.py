"""Stacks of context managers; the other managers of this module are native (`python/contexts.py`)."""

from collections import deque

from gradguard import known


class ExitStack:
    def __init__(self):
        self._exit_callbacks = deque()
        """what to call in the end, each after whether it is a plain function"""

    def __enter__(self):
        return self

    def __exit__(self, *error):
        """Exit what was entered, the last one first; those after one that suppresses the error are told of none."""
        suppressed = False
        while self._exit_callbacks:
            _, leave = self._exit_callbacks.pop()
            left = leave(*error)
            if known(left) and left:
                suppressed, error = True, (None, None, None)
        return suppressed

    def enter_context(self, cm):
        value = cm.__enter__()
        self._exit_callbacks.append((True, cm.__exit__))
        return value

    def push(self, exit):
        self._exit_callbacks.append((True, exit.__exit__ if hasattr(exit, "__exit__") else exit))
        return exit

    def callback(self, callback, /, *args, **kwds):
        def leave(*error):
            callback(*args, **kwds)

        self._exit_callbacks.append((True, leave))
        return callback

    def pop_all(self):
        other = type(self)()
        other._exit_callbacks, self._exit_callbacks = self._exit_callbacks, deque()
        return other

    def close(self):
        self.__exit__(None, None, None)


class AsyncExitStack(ExitStack):
    async def __aenter__(self):
        return self

    async def __aexit__(self, *error):
        suppressed = False
        while self._exit_callbacks:
            plain, leave = self._exit_callbacks.pop()
            left = leave(*error) if plain else await leave(*error)
            if known(left) and left:
                suppressed, error = True, (None, None, None)
        return suppressed

    async def enter_async_context(self, cm):
        value = await cm.__aenter__()
        self._exit_callbacks.append((False, cm.__aexit__))
        return value

    def push_async_exit(self, exit):
        self._exit_callbacks.append((False, exit.__aexit__ if hasattr(exit, "__aexit__") else exit))
        return exit

    def push_async_callback(self, callback, /, *args, **kwds):
        async def leave(*error):
            await callback(*args, **kwds)

        self._exit_callbacks.append((False, leave))
        return callback

    async def aclose(self):
        await self.__aexit__(None, None, None)
