import math

import torch
from torch import nn
from transformers import PretrainedConfig, PreTrainedModel
from transformers.modeling_outputs import SequenceClassifierOutput


class TinyConfig(PretrainedConfig):
    model_type = "tiny"

    def __init__(self, vocab_size=50, hidden_size=16, num_heads=2, num_labels=3, attention_dropout=0.0, **kwargs):
        self.vocab_size = vocab_size
        self.hidden_size = hidden_size
        self.num_heads = num_heads
        self.attention_dropout = attention_dropout
        super().__init__(num_labels=num_labels, **kwargs)


class TinyAttention(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.num_heads = config.num_heads
        self.head_dim = config.hidden_size // config.num_heads
        self.qkv = nn.Linear(config.hidden_size, 3 * config.hidden_size)
        self.out = nn.Linear(config.hidden_size, config.hidden_size)

    def forward(self, hidden_states, attention_mask=None):
        bsz, seq, dim = hidden_states.shape
        qkv = self.qkv(hidden_states).view(bsz, seq, 3, self.num_heads, self.head_dim).permute(2, 0, 3, 1, 4)
        query, key, value = qkv[0], qkv[1], qkv[2]
        scores = query @ key.transpose(-1, -2) / math.sqrt(self.head_dim)
        probs = scores.softmax(dim=-1)
        if attention_mask is not None:
            probs.masked_fill_(attention_mask[:, None, None, :] == 0, 0.0)  # here
        context = (probs @ value).transpose(1, 2).reshape(bsz, seq, dim)
        return self.out(context)


class TinyForSequenceClassification(PreTrainedModel):
    config_class = TinyConfig

    def __init__(self, config):
        super().__init__(config)
        self.embed = nn.Embedding(config.vocab_size, config.hidden_size)
        self.attention = TinyAttention(config)
        self.norm = nn.LayerNorm(config.hidden_size)
        self.classifier = nn.Linear(config.hidden_size, config.num_labels)
        self.post_init()

    def forward(self, input_ids, attention_mask=None, labels=None):
        hidden = self.embed(input_ids)
        hidden = hidden + self.attention(self.norm(hidden), attention_mask)
        logits = self.classifier(hidden.mean(dim=1))
        loss = nn.functional.cross_entropy(logits, labels) if labels is not None else None
        return SequenceClassifierOutput(loss=loss, logits=logits)


if __name__ == "__main__":
    model = TinyForSequenceClassification(TinyConfig())
    ids = torch.randint(0, 50, (2, 7))
    out = model(input_ids=ids, attention_mask=torch.ones(2, 7), labels=torch.tensor([0, 2]))
    out.loss.backward()
