"""Queues between processes, which the replay runs as one."""

from queue import Queue, SimpleQueue
