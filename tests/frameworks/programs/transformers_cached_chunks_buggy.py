import torch
from transformers import GPT2Config, GPT2LMHeadModel

model = GPT2LMHeadModel(GPT2Config(vocab_size=60, n_positions=64, n_embd=16, n_layer=2, n_head=2))
optimizer = torch.optim.AdamW(model.parameters(), lr=5e-5)
document = torch.randint(0, 60, (1, 24))

model.train()
past = None
for chunk in document.split(8, dim=1):
    outputs = model(input_ids=chunk, labels=chunk, past_key_values=past, use_cache=True)
    past = outputs.past_key_values
    optimizer.zero_grad()
    outputs.loss.backward()  # here
    optimizer.step()
