"""Lesion experiments by hooks."""


def silence(layer, units):
    def hook(module, inputs, output):
        lesioned = output.clone()
        lesioned[:, units] = 0.0
        return lesioned

    return layer.register_forward_hook(hook)
