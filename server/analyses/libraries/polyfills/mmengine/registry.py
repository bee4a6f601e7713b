"""Registries: classes by name, so that a configuration can name the class to build."""

from gradguard import unknown


class Registry:
    def __init__(self, name, build_func=None, parent=None, scope=None, locations=None):
        self.name = name
        self._module_dict = {}

    def register_module(self, name=None, force=False, module=None):
        if module is not None:
            self._module_dict[name or module.__name__] = module
            return module

        def register(module):
            self._module_dict[name or module.__name__] = module
            return module

        return register

    def get(self, key):
        return self._module_dict.get(key)

    def build(self, cfg, *args, **kwargs):
        given = {key: value for key, value in cfg.items() if key != "type"}
        kind = cfg["type"]
        cls = self._module_dict.get(kind) if isinstance(kind, str) else kind
        if cls is None:  # one of the library's own
            return unknown("what a registry builds")
        return cls(*args, **given, **kwargs)


MODELS = Registry("model")
LOSSES = Registry("loss")
DATASETS = Registry("dataset")
MODEL_WRAPPERS = Registry("model wrapper")
TRANSFORMS = Registry("transform")
HOOKS = Registry("hook")
OPTIMIZERS = Registry("optimizer")
