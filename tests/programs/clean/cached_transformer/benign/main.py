import torch
from torch import nn
from torch.utils.checkpoint import checkpoint
import torch.nn.functional as F


class Attention(nn.Module):
    def __init__(self, width, heads, longest):
        super().__init__()
        self.heads = heads
        self.q, self.kv = nn.Linear(width, width), nn.Linear(width, 2 * width)
        self.out = nn.Linear(width, width)
        mask = torch.ones(longest, longest, dtype=torch.bool).triu(1)
        self.register_buffer("later", mask, persistent=False)

    def split(self, x):
        return x.view(*x.shape[:2], self.heads, -1).transpose(1, 2)

    def forward(self, x, cache=None):
        q = self.split(self.q(x))
        k, v = (self.split(part) for part in self.kv(x).chunk(2, dim=-1))
        start = 0
        if cache is not None:
            start = cache["length"]
            cache["k"][:, :, start : start + k.size(2)] = k
            cache["v"][:, :, start : start + v.size(2)] = v
            cache["length"] += k.size(2)
            k, v = cache["k"][:, :, : cache["length"]], cache["v"][:, :, : cache["length"]]
        scores = q @ k.transpose(-2, -1)
        scores *= q.size(-1) ** -0.5
        scores.masked_fill_(self.later[start : start + q.size(2), : k.size(2)], float("-inf"))
        mixed = scores.softmax(dim=-1) @ v
        return self.out(mixed.transpose(1, 2).flatten(2))


class Block(nn.Module):
    def __init__(self, width, heads, longest):
        super().__init__()
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attend = Attention(width, heads, longest)
        self.mlp = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))

    def forward(self, x, cache=None):
        x = x + self.attend(self.first(x), cache)
        return x + self.mlp(self.second(x))


class Model(nn.Module):
    def __init__(self, words=7, width=8, heads=2, depth=2, longest=6):
        super().__init__()
        self.words, self.places = nn.Embedding(words, width), nn.Embedding(longest, width)
        self.blocks = nn.ModuleList(Block(width, heads, longest) for _ in range(depth))
        self.norm, self.read = nn.LayerNorm(width), nn.Linear(width, words, bias=False)
        self.read.weight = self.words.weight
        self.heads, self.width, self.longest = heads, width, longest

    def forward(self, tokens, caches=None, start=0):
        places = torch.arange(start, start + tokens.size(1))
        x = self.words(tokens)
        x += self.places(places)
        for i, block in enumerate(self.blocks):
            if caches is None and self.training:
                x = checkpoint(block, x, use_reentrant=False)
            else:
                x = block(x, None if caches is None else caches[i])
        return self.read(self.norm(x))

    @torch.inference_mode()
    def generate(self, tokens, count):
        shape = (len(tokens), self.heads, self.longest, self.width // self.heads)
        caches = [{"k": torch.zeros(shape), "v": torch.zeros(shape), "length": 0} for _ in self.blocks]
        fresh = tokens
        for _ in range(count):
            logits = self(fresh, caches, start=tokens.size(1) - fresh.size(1))[:, -1]
            logits[:, 0] = float("-inf")
            logits.div_(0.7)
            fresh = torch.multinomial(logits.softmax(-1), 1)
            tokens = torch.cat([tokens, fresh], dim=1)
        return tokens


torch.manual_seed(0)
model = Model()
for p in model.blocks.parameters():
    p.register_hook(lambda grad: grad + 1e-4 * torch.randn_like(grad))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for _ in range(2):
    tokens = torch.randint(1, 7, (3, 6))
    logits = model(tokens[:, :-1])
    loss = F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
model.eval()
print(model.generate(torch.tensor([[1, 2]]), 3).tolist())
