"""A memory whose slots are named by padded numbers."""
import torch

torch.manual_seed(3)
key = torch.randn(4, requires_grad=True)
memory = {f"slot_{i:02d}": torch.sin(key * (i + 1)) for i in range(3)}
recalled = memory["slot_01"] * memory["slot_02"]  # saved
chosen = "slot_{:02d}".format(len(memory) - 1)
memory[chosen].copy_(torch.zeros(4))  # changed
(recalled.sum() + memory["slot_00"].sum()).backward()
