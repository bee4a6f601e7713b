import torch
from torch import nn
from transformers import SwinConfig, SwinModel


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.swin = SwinModel(SwinConfig(image_size=32, patch_size=4, embed_dim=8, depths=[1, 1], num_heads=[2, 2], window_size=4))
        self.head = nn.Linear(32, 2)

    def forward(self, images):
        out = self.swin(images)
        tokens = out.last_hidden_state
        tokens[:, 0] = 0.0
        return self.head(torch.cat([out.pooler_output, tokens.mean(1)], dim=-1))


model = Classifier().train()
opt = torch.optim.AdamW(model.parameters())
for _ in range(2):
    loss = nn.functional.cross_entropy(model(torch.randn(2, 3, 32, 32)), torch.tensor([0, 1]))
    loss.backward()
    opt.step()
    opt.zero_grad()
