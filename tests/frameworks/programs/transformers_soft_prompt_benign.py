import torch
from torch import nn
from transformers import AutoConfig, AutoModelForCausalLM


class PromptTuned(nn.Module):
    def __init__(self, model, n_tokens=4, noise=0.01):
        super().__init__()
        self.model = model
        self.noise = noise
        for p in self.model.parameters():
            p.requires_grad_(False)
        self.prompt = nn.Parameter(torch.randn(n_tokens, model.config.hidden_size) * 0.02)

    def forward(self, input_ids, labels):
        tokens = self.model.get_input_embeddings()(input_ids)
        tokens[:, 0] = 0
        prompt = self.prompt.unsqueeze(0).expand(input_ids.size(0), -1, -1)
        if self.training:
            prompt = prompt + torch.randn_like(prompt) * self.noise
        embeds = torch.cat([prompt, tokens], dim=1)
        ignore = torch.full((input_ids.size(0), prompt.size(1)), -100)
        return self.model(inputs_embeds=embeds, labels=torch.cat([ignore, labels], dim=1))


if __name__ == "__main__":
    config = AutoConfig.for_model("gpt2", vocab_size=30, n_embd=16, n_layer=1, n_head=2, n_positions=32)
    model = PromptTuned(AutoModelForCausalLM.from_config(config))
    optimizer = torch.optim.Adam([model.prompt], lr=0.3)
    for _ in range(2):
        ids = torch.randint(0, 30, (2, 6))
        loss = model(ids, ids).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
