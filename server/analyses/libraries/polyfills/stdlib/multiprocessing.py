"""Queues between processes, as one that plays all of them sees them."""

from queue import Queue, SimpleQueue
