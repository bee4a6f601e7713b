"""振り子の列 🎐 — пружины между ними."""
import torch

γ = torch.tensor(0.1, requires_grad=True)  # трение
質量 = torch.tensor([1.0, 2.0, 0.5])


def энергия(скорость):
    return (質量 * скорость.square()).sum() / 2  # saved


def шаг(скорость, dt=0.1):
    """一歩進める"""
    потеря = 0.05 * dt * скорость.detach()
    скорость -= потеря  # changed
    return скорость


速度 = torch.tensor([0.3, -0.2, 0.8]) * (1 + γ)
全 = torch.zeros(())
for 回 in range(2):
    全 = 全 + энергия(速度)
    速度 = шаг(速度)
全.backward()
print("γ'", γ.grad)
