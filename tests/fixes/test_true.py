"""What is offered is true: after each single fix the program runs on PyTorch, with the gradients that were meant."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from gradguard.rules import RULES

from .every import Program, answer
from .folder import Folder, told
from .proof import proven

if TYPE_CHECKING:
    from pathlib import Path

START = "import torch\nfrom torch import nn\n\ntorch.manual_seed(0)\n"

LSTM = """\
class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(3, 5)
        self.head = nn.Linear(5, 2)
        self.state = None

    def forward(self, x):
        out, self.state = self.lstm(x, self.state)
        return self.head(out)


model = Tagger()
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(4):
    loss = model(torch.randn(2, 7, 3)).square().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
"""
LOSSES = """\
model = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.1)


def train(batches):
    losses = []
    for x in batches:
        loss = model(x).square().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        losses.append(loss)
    return sum(losses)


train(torch.randn(3, 4, 3)).backward()
"""
GAN = """\
G = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
D = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 1))
opt_g, opt_d = torch.optim.Adam(G.parameters(), lr=1e-3), torch.optim.Adam(D.parameters(), lr=1e-3)
for step in range(3):
    fake = G(torch.randn(16, 4))
    d_fake = D(fake)
    loss_d = nn.functional.softplus(d_fake).mean() + nn.functional.softplus(-D(torch.randn(16, 2))).mean()
    opt_d.zero_grad()
    loss_d.backward(retain_graph=True)
    opt_d.step()
    loss_g = nn.functional.softplus(-d_fake).mean()
    opt_g.zero_grad()
    loss_g.backward()
    opt_g.step()
"""
RESET = """\
model = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
out = model(torch.randn(4, 3))
opt.zero_grad()
out.square().mean().backward(retain_graph=True)
opt.step()
opt.zero_grad()
out.abs().mean().backward()
opt.step()
"""
VIEWS = """\
x = torch.rand(6, requires_grad=True) * 2
a, b, c = x.split(2)
a += 1
b.mul_(3)
(a * b + c).sum().backward()
"""
UPDATED = """\
scale = torch.rand((), requires_grad=True)
weight = torch.rand(3, 3, requires_grad=True)
y = scale.gather(0, torch.tensor([0])) * 2
rows = weight.chunk(3)
with torch.no_grad():
    scale.add_(0.1)
    weight.add_(0.1)
opt = torch.optim.SGD([scale, weight], lr=0.1)
loss = y.sum() + rows[0].sum()
loss.backward()
opt.step()
"""
OLD = """\
policy = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2))
opt = torch.optim.Adam(policy.parameters())
obs, act, advantage = torch.randn(10, 4), torch.randint(0, 2, (10,)), torch.randn(10)
old = torch.distributions.Categorical(logits=policy(obs)).log_prob(act)
for epoch in range(3):
    new = torch.distributions.Categorical(logits=policy(obs)).log_prob(act)
    loss = -((new - old).exp() * advantage).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
"""
FEATURES = """\
encoder, head = nn.Linear(4, 8), nn.Linear(8, 2)
opt = torch.optim.Adam([*encoder.parameters(), *head.parameters()])
features = encoder(torch.randn(10, 4)).tanh()
for epoch in range(3):
    loss = head(features).square().mean()
    loss.backward()
"""
CLIPPED = """\
G, D = nn.Linear(2, 4), nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
opt_g, opt_d = torch.optim.RMSprop(G.parameters()), torch.optim.RMSprop(D.parameters())
for step in range(2):
    fake = G(torch.randn(6, 2))
    score = D(fake)
    loss_d = score.mean() - D(torch.randn(6, 4)).mean()
    opt_d.zero_grad()
    loss_d.backward(retain_graph=True)
    opt_d.step()
    with torch.no_grad():
        for p in D.parameters():
            p.clamp_(-0.01, 0.01)
    loss_g = -score.mean()
    opt_g.zero_grad()
    loss_g.backward()
    opt_g.step()
"""
ATTACK = """\
net = nn.Linear(4, 3)
x = torch.randn(5, 4)
delta = torch.zeros_like(x, requires_grad=True)
for _ in range(3):
    net(x + delta).square().mean().backward()
    delta += 0.1 * delta.grad.sign()  # a step
    # and its limits
    delta.clamp_(-0.3, 0.3)
    delta.grad.zero_()
"""
MULTIPLIER = """\
w = torch.randn(3, requires_grad=True)
price = torch.zeros(1)
opt = torch.optim.SGD([w], 0.1)
for _ in range(4):
    excess = w.square().sum() - 1
    loss = w.sum() + price * excess
    opt.zero_grad()
    loss.sum().backward()
    opt.step()
    price += 0.1 * excess
"""
BUFFER = """\
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell, self.head = nn.GRUCell(3, 4), nn.Linear(4, 1)
        self.register_buffer("state", torch.zeros(2, 4))

    def forward(self, x):
        h = self.cell(x, self.state.clone())
        self.state.mul_(0.5).add_(h)
        return self.head(h)


net = Net()
opt = torch.optim.SGD(net.parameters(), 0.1)
for _ in range(3):
    loss = net(torch.randn(2, 3)).square().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
"""
PAIR = """\
pair = torch.rand(4, requires_grad=True).sort()


def change():
    pair[0][:1] = 0


y = pair[0].sin()
change()
y.sum().backward()
"""
CHECKPOINTED = """\
x = torch.rand(3, requires_grad=True)
y, w = x.sin(), torch.ones(3, requires_grad=True)
z = torch.ones(3).put(torch.tensor([0]), w[:1] * w[1:2])
with torch.no_grad():
    w[0] = 0
for i in range(2):
    c = torch.utils.checkpoint.checkpoint(lambda t: t.exp(), y, use_reentrant=False)
    (z.sum() + c.mean()).backward(retain_graph=True)
"""
WINDOWS = """\
x = torch.rand(10, requires_grad=True)
windows = (x + 1).unfold(0, 3, 1)
windows *= windows.sin()
windows *= windows.detach()
windows.sum().backward()
"""
PRODUCT = """\
x = torch.rand(10, 10, requires_grad=True)
y = x.tanh()
y.addmm_(torch.rand(10, 10), y, alpha=0.6, beta=0.2)
y.sum().backward()
"""
DIAGONAL = """\
x = torch.rand(5, 5, requires_grad=True)
y = x * 2
y **= y.diagonal().detach()
y.sum().backward()
"""
HOOKED = """\
x = torch.rand(3, 5, requires_grad=True)
y = nn.functional.adaptive_avg_pool1d(x, 3)
y.register_hook(lambda grad: grad * 2)
y /= y
y.sum().backward()
"""
IN_INFERENCE = """\
x = torch.rand((), requires_grad=True)
y = (x + 1).reciprocal_()


def turn():
    y.swapdims_(0, 0)


with torch.inference_mode():
    turn()
pair = (x, y)
pair[1][...] += 0.5
(pair[1] + x).backward()
"""
PROGRAMS = {
    "state on an object": LSTM,
    "losses in a list": LOSSES,
    "two networks": GAN,
    "reset": RESET,
    "views": VIEWS,
    "updated leaves": UPDATED,
    "an item of a tuple of the file": PAIR,
    "a checkpoint in a loop": CHECKPOINTED,
    "elements that share places": WINDOWS,
    "a product that is written into its operand": PRODUCT,
    "a tensor that is written by what it shows": DIAGONAL,
    "a view with a hook": HOOKED,
    "what a fix makes in inference mode": IN_INFERENCE,
}


def titles(text: str, folder: Path) -> list[str]:
    """The titles of the fixes of a program, each of which is tried."""
    (folder / "program").mkdir()
    (folder / "program" / "main.py").write_text(START + text, "utf-8")
    program = Folder(folder / "program")
    report = program.replay()
    assert told(report)
    assert not list(proven(program, folder / "each"))
    return [fix.title for fix in program.offered(report)]


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_is_offered_is_true(name: str, tmp_path: Path) -> None:
    found = titles(PROGRAMS[name], tmp_path)
    assert not any("retain_graph" in title for title in found)


def test_a_step_behind_another_backward_says_so_and_comes_last(tmp_path: Path) -> None:
    first, *_, last = titles(GAN, tmp_path)
    assert first.startswith("Repeat `d_fake = D(fake)`")
    assert "uses the gradients of both backwards" in last


def test_what_all_rounds_compare_with_is_detached_and_what_they_train_moves_into_the_loop(tmp_path: Path) -> None:
    for name in ("old", "features"):
        (tmp_path / name).mkdir()
    first, *_ = titles(OLD, tmp_path / "old")
    assert first.startswith("Detach `old`")
    first, *others = titles(FEATURES, tmp_path / "features")
    assert first.startswith("Move `features = encoder(torch.randn(10, 4)).tanh()` into the loop")
    assert not any("Detach" in title for title in others)


def test_a_forward_pass_is_repeated_where_its_result_is_read_behind_all_that_is_changed(tmp_path: Path) -> None:
    first, *_ = titles(CLIPPED, tmp_path)
    assert first.startswith("Repeat `score = D(fake)`")


def test_all_that_a_block_changes_of_a_leaf_comes_under_no_grad(tmp_path: Path) -> None:
    (only,) = titles(ATTACK, tmp_path)
    assert only.startswith("Change `delta` under `no_grad()`")


@pytest.mark.parametrize(("text", "value"), [(MULTIPLIER, "0.1 * excess"), (BUFFER, "h")], ids=["number", "buffer"])
def test_what_is_written_into_what_lasts_is_detached(text: str, value: str, tmp_path: Path) -> None:
    first, *_ = titles(text, tmp_path)
    assert first.startswith(f"Detach `{value}` (")


def test_a_step_stays_before_what_resets_its_gradients(tmp_path: Path) -> None:
    assert not any("behind" in title for title in titles(RESET, tmp_path))


def test_all_of_several_views_are_mended(tmp_path: Path) -> None:
    assert set(titles(VIEWS, tmp_path)) == {"Clone each part of `x.split(2)`"}


@pytest.mark.parametrize("code", [rule.code for rule in RULES.values() if rule.kinds])
def test_the_fixes_of_a_rules_example_are_true(code: str) -> None:
    found = answer(Program(code, text=RULES[code].fails))
    assert not found.problems
    assert bool(found.titles) is (RULES[code].mend != "none")
    assert RULES[code].mend == "safe" or not found.safe, "`gradguard rules` promises less than there is"
