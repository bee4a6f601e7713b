"""Queues between threads, which the replay runs one after the other."""

from gradguard import known


class Empty(Exception):
    pass


class Full(Exception):
    pass


class Queue:
    def __init__(self, maxsize=0):
        self.maxsize = maxsize
        self.queue = []

    def put(self, item, block=True, timeout=None):
        self.queue.append(item)

    def get(self, block=True, timeout=None):
        """Return the next item. Raise `Empty` if there is none: no other thread is left that could put one there."""
        if known(len(self.queue)) and not self.queue:
            raise Empty
        return self.take()

    def take(self):
        return self.queue.pop(0)

    def put_nowait(self, item):
        self.put(item)

    def get_nowait(self):
        return self.get()

    def empty(self):
        return not self.queue

    def full(self):
        return 0 < self.maxsize <= len(self.queue)

    def qsize(self):
        return len(self.queue)

    def task_done(self):
        pass

    def join(self):
        pass


class LifoQueue(Queue):
    def take(self):
        return self.queue.pop()


class SimpleQueue(Queue):
    pass
