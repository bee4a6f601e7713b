"""A memory whose slots are named by padded numbers."""
import torch

torch.manual_seed(3)
key = torch.randn(4, requires_grad=True)
memory = {f"slot_{i:02d}": torch.sin(key * (i + 1)) for i in range(3)}
recalled = memory["slot_01"] * memory["slot_02"]
chosen = "slot_{:02d}".format(len(memory) - 1)
memory[chosen] = torch.zeros(4)
(recalled.sum() + memory["slot_00"].sum()).backward()
