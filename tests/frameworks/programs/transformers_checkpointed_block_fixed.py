import torch
from torch import nn
from torch.utils.checkpoint import checkpoint
from transformers import AutoConfig, AutoModel
from transformers.activations import ACT2FN


class Adapter(nn.Module):
    def __init__(self, dim, act="gelu"):
        super().__init__()
        self.down = nn.Linear(dim, dim // 2)
        self.act = ACT2FN[act]
        self.up = nn.Linear(dim // 2, dim)

    def forward(self, hidden):
        delta = self.up(self.act(self.down(hidden)))
        hidden = hidden + delta
        return hidden


class Tagger(nn.Module):
    def __init__(self, encoder, num_tags=3):
        super().__init__()
        self.encoder = encoder
        for p in self.encoder.parameters():
            p.requires_grad = False
        self.proj = nn.Linear(encoder.config.hidden_size, 16)
        self.adapter = Adapter(16)
        self.classifier = nn.Linear(16, num_tags)

    def forward(self, input_ids):
        hidden = self.encoder(input_ids).last_hidden_state
        hidden = self.adapter(torch.tanh(self.proj(hidden)))
        return self.classifier(hidden)


encoder = AutoModel.from_config(AutoConfig.for_model("bert", vocab_size=40, hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16))
model = Tagger(encoder)
logits = model(torch.randint(0, 40, (2, 6)))
nn.functional.cross_entropy(logits.flatten(0, 1), torch.randint(0, 3, (12,))).backward()
