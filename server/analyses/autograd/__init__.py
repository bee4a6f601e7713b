"""PyTorch's book-keeping: storages, version counters, views, nodes, saved tensors, backward and the engine.

Imports `domain`, and knows neither Python nor any operator's name. Begin reading with `tensors.py` (the records), then
`recording.py` (how the graph is made), `backward.py` (how it is run) and `checks.py` (what raises then).
"""
