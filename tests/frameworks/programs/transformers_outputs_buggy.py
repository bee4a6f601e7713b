import torch
from transformers import GPT2Config, GPT2LMHeadModel

model = GPT2LMHeadModel(GPT2Config(vocab_size=40, n_positions=16, n_embd=16, n_layer=1, n_head=2))
opt = torch.optim.AdamW(model.parameters())
for _ in range(2):
    ids = torch.randint(1, 40, (2, 7))
    out = model(ids, labels=ids)
    out.hidden_states = None
    h = model(ids, output_hidden_states=True).hidden_states[1]
    s = torch.exp(h); s.add_(1); s.sum().backward()  # here
    out.loss.backward()
    opt.step()
    opt.zero_grad()
    loss, logits = model(input_ids=ids, labels=ids)[:2]
    loss.backward()
    with torch.no_grad():
        gen = model.generate(ids, max_new_tokens=2, do_sample=False)
