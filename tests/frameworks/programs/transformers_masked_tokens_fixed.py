import torch
from torch import nn
from transformers import BertConfig, BertModel


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.bert = BertModel(BertConfig(vocab_size=40, hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32))
        self.head = nn.Linear(32, 2)

    def forward(self, ids, mask):
        out = self.bert(ids, attention_mask=mask)
        tokens = out.last_hidden_state.masked_fill((mask == 0)[..., None], 0.0)
        mean = tokens.sum(1) / mask.sum(1, keepdim=True)
        return self.head(torch.cat([out.pooler_output, mean], dim=-1))


model = Classifier()
opt = torch.optim.AdamW(model.parameters())
mask = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]])
for _ in range(2):
    loss = nn.functional.cross_entropy(model(torch.randint(1, 40, (2, 5)), mask), torch.tensor([0, 1]))
    loss.backward()
    opt.step()
    opt.zero_grad()
