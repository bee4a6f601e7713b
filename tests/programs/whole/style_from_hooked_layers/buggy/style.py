class StyleProbe:
    """Collects the Gram matrices of some layers' outputs."""

    def __init__(self, net, layers):
        self.grams = []
        for name, layer in net.named_children():
            if name in layers:
                layer.register_forward_hook(self.hook)

    def hook(self, layer, args, output):
        flat = output.flatten(2)
        self.grams.append(flat @ flat.transpose(1, 2) / flat.size(2))  # saved

    def collect(self):
        grams, self.grams = self.grams, []
        return grams
