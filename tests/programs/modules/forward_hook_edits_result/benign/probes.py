"""Lesion experiments by hooks."""


def silence(layer, units):
    def hook(module, inputs, output):
        output[:, units] = 0.0
        return output

    return layer.register_forward_hook(hook)
