import torch
from torch import nn
from transformers import BertConfig, BertModel


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.bert = BertModel(BertConfig(vocab_size=40, hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32))
        self.head = nn.Linear(16, 3)

    def forward(self, ids, mask):
        out = self.bert(ids, attention_mask=mask)
        pooled = out.pooler_output
        pooled *= 0.5  # here
        return self.head(pooled)


model = Classifier()
opt = torch.optim.AdamW(model.parameters())
for _ in range(2):
    ids = torch.randint(1, 40, (2, 7))
    loss = nn.functional.cross_entropy(model(ids, torch.ones_like(ids)), torch.tensor([0, 1]))
    loss.backward()
    opt.step()
    opt.zero_grad()
