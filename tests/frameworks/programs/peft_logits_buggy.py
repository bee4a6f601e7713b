import torch
from peft import LoraConfig, get_peft_model
from torch import nn
from transformers import GPT2Config, GPT2LMHeadModel

model = GPT2LMHeadModel(GPT2Config(vocab_size=40, n_positions=16, n_embd=16, n_layer=1, n_head=2))
model = get_peft_model(model, LoraConfig(r=2, target_modules=["c_attn"], fan_in_fan_out=True))
opt = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad])
for _ in range(2):
    ids = torch.randint(1, 40, (2, 7))
    logp = model(ids).logits.log_softmax(-1)
    logp[:, 0] = 0  # here
    loss = -logp.mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
