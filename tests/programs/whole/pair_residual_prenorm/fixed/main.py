"""Contacts of residues from a pair representation (toy sizes)."""
import torch
from torch import nn

from pairs import ContactNet, OPTIONS


def sample(length=5, batch=2):
    chain = torch.randint(0, 4, (batch, length))
    contacts = (torch.rand(batch, length, length) > 0.7).float()
    contacts = torch.maximum(contacts, contacts.transpose(1, 2))
    return chain, contacts


def focal(logits, contacts, gamma=2.0):
    p = torch.sigmoid(logits)
    p = torch.where(contacts > 0, p, 1 - p)
    return (-((1 - p) ** gamma) * p.clamp_min(1e-6).log()).mean()


def main():
    torch.manual_seed(0)
    net = ContactNet(letters=4, **OPTIONS)
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
    warm = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, (step + 1) / 2))
    for _ in range(2):
        chain, contacts = sample()
        loss = focal(net(chain), contacts)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        warm.step()
    net.eval()
    with torch.no_grad():
        print((net(chain) > 0).float().mean().item())


main()
