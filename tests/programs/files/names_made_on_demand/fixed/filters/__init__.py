from importlib import import_module

WHERE = {"damp": "smoothing", "shade": "contrast"}


def __getattr__(name):
    if name in WHERE:
        return getattr(import_module(f".{WHERE[name]}", __name__), name)
    raise AttributeError(name)
