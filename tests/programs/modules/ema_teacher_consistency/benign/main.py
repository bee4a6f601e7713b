import copy

import torch
from torch import nn
import torch.nn.functional as F


class MeanTeacher:
    def __init__(self, student, decay=0.9):
        self.student = student
        self.teacher = copy.deepcopy(student)
        for p in self.teacher.parameters():
            p.requires_grad = False
        self.decay = decay

    def consistency(self, noisy):
        return F.mse_loss(self.student(noisy), self.teacher(noisy.detach()))

    def update(self):
        with torch.no_grad():
            pairs = zip(self.teacher.state_dict().values(), self.student.state_dict().values())
            for slow, fast in pairs:
                slow.copy_(self.decay * slow + (1 - self.decay) * fast)


def perturb(images, strength):
    return images + strength * images.std()


torch.manual_seed(0)
method = MeanTeacher(nn.Sequential(nn.Flatten(), nn.Linear(16, 3)))
strength = torch.tensor(0.1, requires_grad=True)
for _ in range(2):
    images = torch.rand(4, 1, 4, 4)
    loss = method.consistency(perturb(images, strength))
    method.update()
    loss.backward()
