import torch
from torch import nn
import torch.nn.functional as F


class Melody(nn.Module):
    def __init__(self, notes=6, width=7):
        super().__init__()
        self.embed = nn.Embedding(notes, width, padding_idx=0)
        self.cell = nn.GRUCell(width, width)
        self.read = nn.Linear(width, notes)
        self.embed.weight.register_hook(lambda grad: grad * 0.5)

    def step(self, note, state):
        state = self.cell(self.embed(note), state)
        return self.read(state), state

    def forward(self, notes, state):
        logits = []
        for t in range(notes.size(1)):
            out, state = self.step(notes[:, t], state)
            logits.append(out)
        return torch.stack(logits, dim=1), state

    @torch.no_grad()
    def generate(self, count, length):
        state = torch.zeros(count, self.cell.hidden_size)
        notes = torch.zeros(count, length, dtype=torch.long)
        note = torch.ones(count, dtype=torch.long)
        for t in range(length):
            logits, state = self.step(note, state)
            logits[:, 0] = float("-inf")
            logits /= 0.8
            note = torch.multinomial(logits.softmax(-1), 1).squeeze(1)
            notes[:, t] = note
            state[note == 1] = 0.0
        return notes


def soft_targets(teacher, notes, temperature=2.0):
    with torch.no_grad():
        logits, _ = teacher(notes, None)
    logits /= temperature
    return logits.softmax(dim=-1)


torch.manual_seed(0)
teacher, student = Melody(), Melody(width=5)
teacher.eval()
optimizer = torch.optim.Adam(student.parameters(), lr=1e-2)
state = torch.zeros(3, 5)
for _ in range(3):
    notes = teacher.generate(3, 4)
    logits, state = student(notes, state.detach())
    goal = soft_targets(teacher, notes)
    loss = F.kl_div(logits.log_softmax(dim=-1), goal, reduction="batchmean")
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    goal.zero_()
print(loss.item())
