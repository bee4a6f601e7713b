"""x-transformers 2: stacks of layers, each of which saves its input, and wrappers around them."""

import torch
from gradguard import linked, unknown
from torch import nn


class Projection(nn.Module):
    """A linear layer whose sizes aren't followed."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(unknown("width"), unknown("width")))

    def forward(self, x):
        return linked(x, self.weight, saves=[x, self.weight])


class AttentionLayers(nn.Module):
    """A stack of layers. The norm at its end saves its own input, not the result of the stack."""

    def __init__(self, dim, depth=None, heads=8, causal=False, cross_attend=False, **kwargs):
        super().__init__()
        self.dim = dim
        self.weight = nn.Parameter(torch.randn(unknown("width"), unknown("width")))

    def forward(self, x, context=None, mask=None, context_mask=None, **kwargs):
        return linked(x, context, self.weight, saves=[x, context, self.weight], like=x)


class Encoder(AttentionLayers):
    pass


class Decoder(AttentionLayers):
    pass


class PrefixDecoder(AttentionLayers):
    pass


class CrossAttender(AttentionLayers):
    pass


class TransformerWrapper(nn.Module):
    def __init__(self, *, num_tokens, max_seq_len, attn_layers, emb_dim=None, logits_dim=None, **kwargs):
        super().__init__()
        self.attn_layers = attn_layers
        self.token_emb = nn.Embedding(num_tokens, unknown("width"))
        self.to_logits = Projection()

    def forward(self, x, return_embeddings=False, context=None, **kwargs):
        x = self.attn_layers(self.token_emb(x), context=context)
        return x if return_embeddings else self.to_logits(x)


class ContinuousTransformerWrapper(nn.Module):
    def __init__(self, *, max_seq_len, attn_layers, dim_in=None, dim_out=None, **kwargs):
        super().__init__()
        self.attn_layers = attn_layers
        self.project_in = nn.Identity() if dim_in is None else Projection()
        self.project_out = nn.Identity() if dim_out is None else Projection()

    def forward(self, x, return_embeddings=False, context=None, mask=None, **kwargs):
        x = self.attn_layers(self.project_in(x), context=context, mask=mask)
        return x if return_embeddings else self.project_out(x)


class ViTransformerWrapper(nn.Module):
    def __init__(self, *, image_size, patch_size, attn_layers, num_classes=None, **kwargs):
        super().__init__()
        self.attn_layers = attn_layers
        self.patch = nn.Parameter(torch.randn(unknown("width"), unknown("width")))
        self.mlp_head = nn.Identity() if num_classes is None else Projection()

    def forward(self, img, return_embeddings=False, return_logits_and_embeddings=False):
        embed = self.attn_layers(linked(img, self.patch, saves=[self.patch]))
        return embed if return_embeddings else self.mlp_head(linked(embed))


class AutoregressiveWrapper(nn.Module):
    """Returns the loss of a sequence."""

    def __init__(self, net, ignore_index=-100, pad_value=0, **kwargs):
        super().__init__()
        self.net = net

    def forward(self, x, return_outputs=False, **kwargs):
        logits = self.net(x, **kwargs)
        loss = linked(logits)
        return (loss, (logits, None)) if return_outputs else loss

    @torch.no_grad()
    def generate(self, *args, **kwargs):
        return torch.randint(0, 2, (unknown("batch"), unknown("length")))
