import torch


def staircase(increments, room):
    torch.cumsum(increments, dim=0, out=room)
    return room


increments = torch.tensor([0.5, 0.2, 0.9], requires_grad=True)
outputs = {"report": torch.empty(3)}
positive = torch.nn.functional.softplus(increments)
report = staircase(positive.detach(), outputs["report"])
loss = (positive.sum() - 2).square() + report.max()
loss.backward()
