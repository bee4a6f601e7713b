import torch
from peft import LoraConfig, get_peft_model
from torch import nn


class Block(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.fc1 = nn.Linear(dim, dim * 2)
        self.fc2 = nn.Linear(dim * 2, dim)

    def forward(self, x):
        h = self.fc2(torch.relu(self.fc1(x)))
        x = x + h
        return x


class Net(nn.Module):
    def __init__(self, dim=8):
        super().__init__()
        self.embed = nn.Linear(4, dim)
        self.blocks = nn.ModuleList([Block(dim) for _ in range(2)])
        self.head = nn.Linear(dim, 3)

    def forward(self, x):
        x = self.embed(x)
        for block in self.blocks:
            x = block(x)
        return self.head(x)


config = LoraConfig(r=2, lora_alpha=8, target_modules=["fc1", "fc2"], lora_dropout=0.0)
model = get_peft_model(Net(), config)
optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-3)
for _ in range(2):
    loss = nn.functional.cross_entropy(model(torch.randn(5, 4)), torch.randint(0, 3, (5,)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
