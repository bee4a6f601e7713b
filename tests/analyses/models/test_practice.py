"""Programs in the shapes of practice, in which several libraries meet; each in a form that fails and one that runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .agreement import assert_agreement

if TYPE_CHECKING:
    from pathlib import Path

PROGRAMS = {
    "soft actor-critic": (
        """
        import torch
        from torch import nn
        from torch.distributions import Independent, Normal, TanhTransform, TransformedDistribution

        torch.manual_seed(0)

        class Actor(nn.Module):
            def __init__(self):
                super().__init__()
                self.body = nn.Linear(4, 8)
                self.mean, self.log_std = nn.Linear(8, 2), nn.Linear(8, 2)

            def forward(self, s):
                h = torch.relu(self.body(s))
                return TransformedDistribution(
                    Independent(Normal(self.mean(h), self.log_std(h).clamp(-5, 2).exp()), 1), [TanhTransform()]
                )

        actor, critic = Actor(), nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 1))
        actor_opt, critic_opt = (torch.optim.Adam(n.parameters()) for n in (actor, critic))
        for _ in range(2):
            s = torch.randn(5, 4)
            policy = actor(s)
            a = policy.rsample()
            q = critic(torch.cat([s, a], -1))
            LINE
            loss = (policy.log_prob(a.detach()).unsqueeze(-1) - q).mean()
            actor_opt.zero_grad()
            loss.backward()
            actor_opt.step()
        """,
        "a.clamp_(-0.9, 0.9)",
        "a = a.clamp(-0.9, 0.9)",
    ),
    "proximal policy": (
        """
        import numpy as np
        import torch
        from torch import nn
        from torch.distributions import Categorical
        from torch.utils.data import DataLoader, TensorDataset

        torch.manual_seed(0)
        policy, value = nn.Linear(4, 3), nn.Linear(4, 1)
        optimizer = torch.optim.Adam([*policy.parameters(), *value.parameters()])
        states, actions, logs = [], [], []
        for _ in range(6):
            s = torch.from_numpy(np.random.rand(4).astype("float32"))
            d = Categorical(logits=policy(s))
            a = d.sample()
            states.append(s)
            actions.append(a)
            logs.append(d.log_prob(a)DETACH)
        data = TensorDataset(torch.stack(states), torch.stack(actions), torch.stack(logs))
        for epoch in range(2):
            for s, a, old in DataLoader(data, batch_size=3, shuffle=True):
                d = Categorical(logits=policy(s))
                ratio = (d.log_prob(a) - old).exp()
                loss = -torch.min(ratio, ratio.clamp(0.8, 1.2)).mean() - 0.01 * d.entropy().mean()
                loss = loss + (value(s).squeeze(-1) - ratio.detach()).pow(2).mean()
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(policy.parameters(), 0.5)
                optimizer.step()
        """,
        "",
        ".detach()",
    ),
    "adversarial pair": (
        """
        import torch
        from torch import nn
        from torch.nn.utils.parametrizations import spectral_norm

        torch.manual_seed(0)
        maker = nn.Sequential(nn.Linear(2, 4), nn.ReLU(inplace=True), nn.Linear(4, 3))
        judge = nn.Sequential(spectral_norm(nn.Linear(3, 4)), nn.LeakyReLU(0.2, inplace=True), nn.Linear(4, 1))
        maker_opt, judge_opt = (torch.optim.Adam(n.parameters()) for n in (maker, judge))
        for _ in range(2):
            real = torch.randn(5, 3)
            fake = maker(torch.randn(5, 2))
            scores = judge(fake)
            judge_loss = judge(fake.detach()).mean() - judge(real).mean()
            judge_opt.zero_grad()
            judge_loss.backward()
            judge_opt.step()
            maker_loss = -LINE.mean()
            maker_opt.zero_grad()
            maker_loss.backward()
            maker_opt.step()
        """,
        "scores",
        "judge(fake)",
    ),
    "mixed precision with a moving average": (
        """
        import torch
        from torch import nn
        from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn
        from torch.utils.data import DataLoader, Dataset

        class Series(Dataset):
            def __init__(self, n):
                self.x = torch.linspace(0, 1, n)

            def __len__(self):
                return len(self.x) - 3

            def __getitem__(self, i):
                return self.x[i : i + 3], self.x[i + 3]

        torch.manual_seed(0)
        net = nn.Sequential(nn.Linear(3, 4), nn.GELU(), nn.Linear(4, 1))
        average = AveragedModel(net, multi_avg_fn=get_ema_multi_avg_fn(0.9))
        optimizer = torch.optim.AdamW(net.parameters())
        schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 10)
        scaler = torch.amp.GradScaler("cpu", enabled=False)
        for epoch in range(2):
            for x, y in DataLoader(Series(12), batch_size=3):
                with torch.autocast("cpu", dtype=torch.bfloat16):
                    out = net(x).squeeze(-1)
                    loss = nn.functional.mse_loss(out.float(), y)
                    with torch.no_grad():
                        target = average(x).squeeze(-1)
                LINE
                loss = loss + nn.functional.mse_loss(out.float(), target.float())
                optimizer.zero_grad()
                scaler.scale(loss).backward()
                scaler.step(optimizer)
                scaler.update()
                average.update_parameters(net)
            schedule.step()
        """,
        "y.add_(1)",
        "target.mul_(2)",
    ),
    "bag of sequences": (
        """
        import random

        import torch
        from torch import nn
        from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence
        from torch.utils.data import DataLoader

        def collate(batch):
            batch = sorted(batch, key=len, reverse=True)
            return pad_sequence(batch, batch_first=True), torch.tensor([len(b) for b in batch])

        torch.manual_seed(0)
        bag = [torch.randn(n, 2) for n in (4, 3, 5, 2)]
        random.shuffle(bag)
        net, head = nn.GRU(2, 3, batch_first=True), nn.Linear(3, 1)
        optimizer = torch.optim.SGD([*net.parameters(), *head.parameters()], lr=0.1)
        for x, lengths in DataLoader(bag, batch_size=2, collate_fn=collate):
            packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
            out, _ = pad_packed_sequence(net(packed)[0], batch_first=True)
            scores = torch.sigmoid(head(out))
            LINE
            loss = scores.mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        """,
        "scores[:, -1] = 0",
        "x[:, -1] = 0",
    ),
}


def fill(text: str, line: str) -> str:
    """The program with its open place filled."""
    return text.replace("DETACH", line).replace("LINE", line)


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_form_that_fails(tmp_path: Path, name: str) -> None:
    text, broken, _ = PROGRAMS[name]
    assert assert_agreement(tmp_path, fill(text, broken))


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_form_that_runs(tmp_path: Path, name: str) -> None:
    text, _, sound = PROGRAMS[name]
    assert assert_agreement(tmp_path, fill(text, sound)) == set()


LONGER = (
    ("from torch.utils.data.dataset import TensorDataset", "TensorDataset(leaf)[0][0].mul_(2)"),
    (
        "from torch.utils.data.dataloader import DataLoader",
        "[b.mul_(2) for b in DataLoader([leaf[0] * 2])]; leaf.mul_(2)",
    ),
    ("from torch.distributions.normal import Normal", "Normal(leaf, torch.ones(3)).loc.mul_(2)"),
    ("from torch.nn.modules.linear import Linear", "Linear(3, 1).weight.mul_(2)"),
    ("from torch.nn.parameter import Parameter", "Parameter(torch.ones(3)).mul_(2)"),
)


@pytest.mark.parametrize(("line", "use"), LONGER)
def test_names_by_the_file_that_defines_them(tmp_path: Path, line: str, use: str) -> None:
    assert assert_agreement(tmp_path, f"import torch\n{line}\n\nleaf = torch.rand(3, requires_grad=True)\n{use}\n")


@pytest.mark.parametrize("call", ["super().forward(x)", "nn.Linear.forward(self, x)"])
def test_the_forward_of_a_library_module_by_name(tmp_path: Path, call: str) -> None:
    assert_agreement(
        tmp_path,
        f"""
        import torch
        from torch import nn

        class Layer(nn.Linear):
            def forward(self, x):
                return {call}

        layer = Layer(3, 3)
        loss = layer(torch.randn(2, 3, requires_grad=True)).sum()
        layer.weight.data.add_(1)
        with torch.no_grad():
            layer.weight.add_(1)
        loss.backward()
        """,
    )


@pytest.mark.parametrize("register", ["register_step_post_hook", "register_step_pre_hook"])
@pytest.mark.parametrize("removed", [True, False])
def test_hooks_of_steps(tmp_path: Path, register: str, removed: bool) -> None:
    assert_agreement(
        tmp_path,
        f"""
        import torch

        p, q = (torch.ones(2, requires_grad=True) for _ in range(2))
        optimizer = torch.optim.SGD([p], lr=0.1)

        def limit(optimizer, args, kwargs):
            with torch.no_grad():
                q.clamp_(0, 1)

        handle = optimizer.{register}(limit)
        loss = (q * q).sum()
        if {removed}:
            handle.remove()
        p.sum().backward()
        optimizer.step()
        loss.backward()
        """,
    )


@pytest.mark.parametrize("made", ["torch.where(m)", "m.nonzero(as_tuple=True)", "torch.nonzero(m, as_tuple=True)"])
@pytest.mark.parametrize("used", ["i", "j", "m"])
def test_columns_of_indices_share_a_counter(tmp_path: Path, made: str, used: str) -> None:
    assert_agreement(
        tmp_path,
        f"""
        import torch

        t = torch.randn(3, 3, requires_grad=True)
        m = torch.eye(3) > 0
        i, j = {made}
        loss = t[{used}].sum()
        j += 1
        loss.backward()
        """,
    )


def test_a_list_that_differs_between_branches(tmp_path: Path) -> None:
    assert_agreement(
        tmp_path,
        """
        import random
        import torch

        w = torch.randn(3, requires_grad=True)
        x = torch.randn(2, 3)
        if random.random() < 0.5:
            x = x.flip(-1)
        loss = torch.cat([x * w, x + w]).sum()
        x[0] = 1
        loss.backward()
        """,
    )


MEMBERS = {
    "a list of tensors": "nn.ParameterList([torch.ones(2), torch.ones(2)])[1]",
    "a generator of tensors": "nn.ParameterList(torch.ones(2) for _ in range(2))[0]",
    "appended": "nn.ParameterList().append(torch.ones(2))[0]",
    "by name": "nn.ParameterDict({'a': torch.ones(2)})['a']",
    "a parameter that is frozen": "nn.ParameterList([nn.Parameter(torch.ones(2), requires_grad=False)])[0]",
}


@pytest.mark.parametrize("member", MEMBERS.values(), ids=MEMBERS)
def test_containers_of_parameters_make_parameters(tmp_path: Path, member: str) -> None:
    assert_agreement(tmp_path, f"import torch\nfrom torch import nn\n\np = {member}\np.mul_(2)\n")


KEYWORDS = """
import torch
from torch import nn

class Stack(nn.Module):
    def __init__(self):
        super().__init__()
        self.add_module(name="first", module=nn.Linear(3, 3))
        self.register_parameter(name="gain", param=nn.Parameter(torch.ones(3)))
        self.rest = nn.ModuleList()
        self.rest.append(module=nn.Sigmoid())
        self.rest.extend(modules=[nn.Tanh()])
        self.rest.insert(index=0, module=nn.ReLU(INPLACE))
        self.apply(fn=lambda module: setattr(module, "seen", True))

    def forward(self, x):
        x = (self.get_submodule(target="first")(x) * self.gain).exp()
        for module in self.rest:
            x = module(x)
        return x

stack = Stack()
optimizer = torch.optim.SGD([stack.gain], 0.1)
optimizer.add_param_group(param_group={"params": stack.first.parameters()})
out = stack(torch.rand(2, 3)).sum()
if stack.first.seen and len(optimizer.param_groups) == 2:
    out.backward()
"""


@pytest.mark.parametrize("inplace", [True, False])
def test_methods_of_modules_take_keywords(tmp_path: Path, inplace: bool) -> None:
    kinds = assert_agreement(tmp_path, KEYWORDS.replace("INPLACE", f"inplace={inplace}"))
    assert kinds == ({"stale-saved"} if inplace else set())


def test_a_module_whose_dict_holds_itself(tmp_path: Path) -> None:
    kinds = assert_agreement(
        tmp_path,
        """
        import torch
        from torch import nn

        class Backend(nn.Module):
            def __init__(self, size):
                super().__init__()
                layer = nn.Linear(size, size)
                self.__dict__.update(locals())

        backend = Backend(3)
        backend.apply(lambda module: None)
        y = backend.eval().layer(torch.rand(2, 3)).exp()
        y.add_(1)
        y.sum().backward()
        """,
    )
    assert kinds == {"stale-saved"}


GIVEN = """
import torch
from torch import nn
from torch.distributions import Distribution, Normal

def started(new, size, *rows):
    Distribution.__init__(new, validate_args=False)
    Normal.__init__(new, 0.0, 1.0)
    return list(map(str, *rows))

def largest(x: torch.Tensor):
    return x.max(1).reshape(-1)

def saved(first, second, flag):
    module = nn.Linear(2, 2) if flag else nn.Tanh()
    return nn.Module.state_dict(module), nn.Module().get_submodule(first)

w = torch.ones(3, requires_grad=True)
w += 1
"""


def test_what_a_function_is_given_is_not_known(tmp_path: Path) -> None:
    assert assert_agreement(tmp_path, GIVEN) == {"leaf-inplace"}
