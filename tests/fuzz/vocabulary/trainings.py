"""Whole trainings as people write them, with the mistakes that they make: losses kept in lists, rivals, state on
objects, optimizers with parameters in common. Each draw gives a program of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..chooser import Chooser
    from ..program import Drawn

OPTIMIZERS = (
    "SGD({}, lr=0.1)",
    "SGD({}, lr=0.1, momentum=0.9)",
    "Adam({}, lr=0.01)",
    "AdamW({})",
    "RMSprop({}, lr=0.01)",
)
ACTS = ("nn.Tanh()", "nn.ReLU()", "nn.Sigmoid()", "nn.ReLU(inplace=True)", "nn.LeakyReLU(0.2)")
LOSSES = (".square().mean()", ".abs().mean()", ".mean()", ".exp().mean()", ".sigmoid().sum()")


def _net(c: Chooser, inputs: int, outputs: int) -> str:
    if c.likely(0.3):
        return f"nn.Linear({inputs}, {outputs})"
    return f"nn.Sequential(nn.Linear({inputs}, 5), {c.chance.choice(ACTS)}, nn.Linear(5, {outputs}))"


def _optimizer(c: Chooser, *modules: str) -> str:
    given = f"{modules[0]}.parameters()"
    if len(modules) > 1:
        given = f"[{', '.join(f'*{module}.parameters()' for module in modules)}]"
    return f"torch.optim.{c.chance.choice(OPTIMIZERS).format(given)}"


def _rounds(c: Chooser, lines: list[str], most: float = 0.7) -> str:
    """The lines in a loop, or as they are."""
    if not c.likely(most):
        return "\n".join(lines)
    body = "\n".join(f"    {line}" for text in lines for line in text.splitlines())
    return f"for step in range({c.chance.choice((2, 3, 3, 4))}):\n{body}"


def _keeping(c: Chooser, share: float = 0.8) -> str:
    return "retain_graph=True" if c.likely(share) else ""


def _some(c: Chooser, share: float, *lines: str) -> list[str]:
    return list(lines) if c.likely(share) else []


def rivals(c: Chooser) -> Drawn:
    """A generator and a critic, whose steps come one before the other's backward."""
    lines = ["fake = gen(torch.randn(4, 3))", f"score = judge(fake{'.detach()' if c.likely(0.15) else ''})"]
    real = c.chance.choice(("", " + F.softplus(-judge(torch.randn(4, 2))).mean()", " - judge(real).mean()"))
    lines.append(f"loss_j = F.softplus(score).mean(){real}")
    second = [*_some(c, 0.25, "score = judge(fake)"), "loss_g = F.softplus(-score).mean()"]
    early = c.likely(0.3)
    lines += second if early else []
    lines += [*_some(c, 0.9, "opt_j.zero_grad()"), f"loss_j.backward({_keeping(c)})", "opt_j.step()"]
    if c.likely(0.2):
        lines.append("with torch.no_grad():\n    for p in judge.parameters():\n        p.clamp_(-0.5, 0.5)")
    lines += [] if early else second
    lines += [*_some(c, 0.9, "opt_g.zero_grad()"), f"loss_g.backward({_keeping(c, 0.1)})", "opt_g.step()"]
    return [
        f"gen = {_net(c, 3, 2)}\njudge = {_net(c, 2, 1)}\nreal = torch.randn(4, 2)",
        f"opt_g = {_optimizer(c, 'gen')}\nopt_j = {_optimizer(c, 'judge')}",
        _rounds(c, lines),
    ]


def actor_and_critic(c: Chooser) -> Drawn:
    """A policy and a value, with or without a trunk in common."""
    shared = c.likely(0.6)
    lines = ["seen = torch.randn(4, 3)", "h = trunk(seen)" if shared else "h = seen"]
    lines += ["value = critic(h)", "logits = actor(h)", "advantage = torch.randn(4, 1) - value"]
    weight = f"advantage{'.detach()' if c.likely(0.4) else ''}"
    of_critic, of_actor = "advantage.square().mean()", f"-(logits.log_softmax(-1)[:, :1] * {weight}).mean()"
    early = c.likely(0.5)
    lines += [f"loss_c = {of_critic}", *([f"loss_a = {of_actor}"] if early else [])]
    lines += [*_some(c, 0.8, "opt_c.zero_grad()"), f"loss_c.backward({_keeping(c)})", "opt_c.step()"]
    lines += [] if early else [f"loss_a = {of_actor}"]
    lines += [*_some(c, 0.8, "opt_a.zero_grad()"), "loss_a.backward()", "opt_a.step()"]
    trunk = ("trunk",) if shared else ()
    both = trunk if c.likely(0.5) else ()
    return [
        f"trunk = {_net(c, 3, 3)}" if shared else "noise = torch.randn(3)",
        f"actor = {_net(c, 3, 2)}\ncritic = {_net(c, 3, 1)}",
        f"opt_c = {_optimizer(c, *trunk, 'critic')}\nopt_a = {_optimizer(c, *both, 'actor')}",
        _rounds(c, lines),
    ]


def heads(c: Chooser) -> Drawn:
    """Two losses on one trunk, each with an optimizer; they have the trunk in common, or one has it alone."""
    both = ("trunk",) if c.likely(0.6) else ()
    lines = ["h = trunk(torch.randn(4, 3))", f"one = first(h){c.chance.choice(LOSSES)}"]
    two = f"two = second(h){c.chance.choice(LOSSES)}"
    early = c.likely(0.6)
    lines += [two] if early else []
    lines += [*_some(c, 0.8, "opt_1.zero_grad()"), f"one.backward({_keeping(c)})"]
    steps = c.chance.choice((["opt_1.step()"], ["opt_1.step()"], []))
    lines += [*steps, *([] if early else [two]), *_some(c, 0.7, "opt_2.zero_grad()"), "two.backward()"]
    lines += [*([] if steps else ["opt_1.step()"]), "opt_2.step()"]
    return [
        f"trunk = {_net(c, 3, 3)}\nfirst = {_net(c, 3, 1)}\nsecond = {_net(c, 3, 2)}",
        f"opt_1 = {_optimizer(c, 'trunk', 'first')}\nopt_2 = {_optimizer(c, *both, 'second')}",
        _rounds(c, lines),
    ]


CELLS = {
    "nn.GRUCell(3, 4)": ("torch.zeros(2, 4)", "cell(x, {0})", "{0}"),
    "nn.LSTMCell(3, 4)": ("(torch.zeros(2, 4), torch.zeros(2, 4))", "cell(x, {0})", "{0}[0]"),
    "nn.Linear(7, 4)": ("torch.zeros(2, 4)", "torch.tanh(cell(torch.cat([x, {0}], 1)))", "{0}"),
    "nn.Linear(3, 4)": ("torch.zeros(2, 4)", "0.9 * {0} + cell(x)", "{0}"),
}
"""a cell, its first state, how it goes on, and what is read of it"""


def state_kept(c: Chooser) -> Drawn:
    """A recurrent state that a variable, an object, a list or a dict keeps from one round to the next."""
    cell = c.chance.choice(list(CELLS))
    start, onward, read = CELLS[cell]
    holder = c.chance.choice(("state", "self.state", "memory['h']", "states[-1]"))
    lines = ["x = torch.randn(2, 3)"]
    made = [f"cell = {cell}\nhead = {_net(c, 4, 1)}", f"opt = {_optimizer(c, 'cell', 'head')}"]
    if holder == "self.state":
        new = f"        self.state = {onward.replace('cell(', 'self.cell(').format('self.state')}"
        made[0] = (
            "class Tracker(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
            f"        self.cell = {cell}\n        self.head = {_net(c, 4, 1)}\n        self.state = {start}\n\n"
            f"    def forward(self, x):\n{new}\n        return self.head({read.format('self.state')})\n\n"
            "tracker = Tracker()"
        )
        made[1] = f"opt = {_optimizer(c, 'tracker')}"
        out = "tracker(x)"
    elif holder == "states[-1]":
        made.append(f"states = [{start}]")
        lines.append(f"states.append({onward.format(holder)})")
        out = f"head({read.format(holder)})"
    else:
        made.append(f"{'memory = {}' if 'memory' in holder else ''}\n{holder} = {start}".strip())
        lines.append(f"{holder} = {onward.format(holder)}")
        out = f"head({read.format(holder)})"
    lines += [f"loss = {out}{c.chance.choice(LOSSES)}", "opt.zero_grad()", f"loss.backward({_keeping(c, 0.25)})"]
    lines += _some(c, 0.85, "opt.step()")
    return [*made, _rounds(c, lines, 1.0)]


def losses_kept(c: Chooser) -> Drawn:
    """Losses that a list or a total keeps with their graphs, and a backward through them."""
    kept = c.chance.choice(("loss", "loss", "loss.detach()", "loss.item()"))
    lines = [f"loss = model(torch.randn(4, 3)){c.chance.choice(LOSSES)}"]
    how = c.chance.choice(("list", "list", "total", "running"))
    before, add, total = {
        "list": ("kept = []", f"kept.append({kept})", "sum(kept)"),
        "total": ("total = 0.0", f"total = total + {kept}", "total"),
        "running": ("total = torch.zeros(())", f"total += {kept}", "total"),
    }[how]
    lines += [add] if c.likely(0.5) else []
    joined = c.likely(0.4)
    lines += [
        "opt.zero_grad()",
        f"({'loss + ' if how == 'list' else ''}{total}).backward()" if joined else "loss.backward()",
    ]
    lines += ["opt.step()", *([add] if add not in lines else [])]
    made = [f"model = {_net(c, 3, 1)}\nopt = {_optimizer(c, 'model')}"]
    end = f"({total}).backward()" if kept == "loss" and c.likely(0.6) else f"print(float({total}))"
    if c.likely(0.4):
        body = "\n".join(f"        {line}" for line in lines)
        made.append(f"def train(rounds):\n    {before}\n    for step in range(rounds):\n{body}\n    return {total}")
        return [*made, end.replace(f"({total})", "(train(3))", 1)]
    return [*made, before, _rounds(c, lines, 1.0), end]


def made_once(c: Chooser) -> Drawn:
    """What is made of parameters once, and used in each round."""
    lines = [f"loss = (torch.randn(4, 3) @ table){c.chance.choice(LOSSES)}", "opt.zero_grad()"]
    lines += [f"loss.backward({_keeping(c, 0.5)})", *_some(c, 0.7, "opt.step()")]
    made = c.chance.choice(("raw.exp()", "raw.softmax(0)", "F.normalize(raw, dim=0)", "raw * 2", "raw * raw"))
    return [
        "raw = nn.Parameter(torch.rand(3, 2))",
        f"opt = {_optimizer(c, 'raw').replace('raw.parameters()', '[raw]')}\ntable = {made}",
        _rounds(c, lines, 1.0),
    ]


def leaf_changed(c: Chooser) -> Drawn:
    """A leaf that is changed in place while a graph needs it as it was, or while it is recorded."""
    change = c.chance.choice(
        ("w.cos_()", "w.clamp_(0, 1)", "w -= 0.1", "w[0] = 0.5", "w.view(-1)[:2] *= 2", "w.mul_(2)")
    )
    under = c.likely(0.4)
    change = f"with torch.no_grad():\n    {change}" if under else change
    use = f"loss = w.{c.chance.choice(('sin()', 'exp()', 'square()', 'pow(3)'))}.sum()"
    lines = [change, use] if c.likely(0.5) else [use, change]
    optimizer = c.likely(0.5)
    end = ["opt.zero_grad()", "loss.backward()", "opt.step()"] if optimizer else ["loss.backward()"]
    made = ["w = torch.rand(4, requires_grad=True)", *(["opt = torch.optim.SGD([w], lr=0.1)"] if optimizer else [])]
    return [*made, _rounds(c, [*lines, *end], 0.4), *_some(c, 0.6, "print(w.grad)")]


def parts_changed(c: Chooser) -> Drawn:
    """Several views of one tensor, of which some are changed in place."""
    views = c.chance.choice(("split(2)", "chunk(3)", "unbind(0)[:3]", "view(3, 2)"))
    names = ["a", "b", "d"]
    changes = [f"{name}{c.chance.choice(('.mul_(2)', ' += 1', '.relu_()', '.sigmoid_()'))}" for name in names]
    chosen = c.chance.sample(changes, c.chance.randint(1, 3))
    base = c.chance.choice(("torch.rand(6, requires_grad=True) * 2", "torch.rand(6, requires_grad=True).exp()"))
    uses = [*_some(c, 0.5, "y = a.square().sum()"), *chosen]
    total = (
        "(a * b).sum() + d.sum()"
        + (" + y" if len(uses) > len(chosen) else "")
        + (" + base.sum()" if c.likely(0.3) else "")
    )
    return [f"base = {base}", f"a, b, d = base.{views}", *uses, f"({total}).backward()"]
