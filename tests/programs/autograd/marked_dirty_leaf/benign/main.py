import torch


class Wrap_(torch.autograd.Function):
    """Angles into (-pi, pi], in place."""

    @staticmethod
    def forward(ctx, angle):
        angle.remainder_(6.2832).sub_(3.1416)
        ctx.mark_dirty(angle)
        return angle

    @staticmethod
    def backward(ctx, grad):
        return grad


def wrap(angle):
    return Wrap_.apply(angle)


joints = torch.tensor([0.3, 4.0, -7.0], requires_grad=True)
pose = wrap(joints.clone())
pose.square().sum().backward()
print(joints.grad)
