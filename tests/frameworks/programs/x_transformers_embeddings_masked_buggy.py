import torch
from torch import nn
from x_transformers import ContinuousTransformerWrapper, Decoder, Encoder, TransformerWrapper


class Captioner(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = ContinuousTransformerWrapper(dim_in=6, max_seq_len=16, attn_layers=Encoder(dim=16, depth=1, heads=2))
        self.decoder = TransformerWrapper(num_tokens=20, max_seq_len=16, attn_layers=Decoder(dim=16, depth=1, heads=2, cross_attend=True))
        self.pool = nn.Linear(16, 1)

    def forward(self, feats, tokens, mask):
        memory = self.encoder(feats)
        weights = self.pool(memory)
        memory *= mask.unsqueeze(-1)  # here
        logits = self.decoder(tokens, context=memory)
        return logits, weights


model = Captioner()
logits, weights = model(torch.randn(2, 5, 6), torch.randint(0, 20, (2, 7)), torch.rand(2, 5) > 0.2)
loss = nn.functional.cross_entropy(logits.transpose(1, 2), torch.randint(0, 20, (2, 7))) + weights.mean()
loss.backward()
