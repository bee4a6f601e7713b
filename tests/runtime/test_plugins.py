"""The callbacks for Lightning and transformers, and the magic for IPython, in the real thing where it is installed."""

from __future__ import annotations

import os
import subprocess
import sys
from textwrap import dedent
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

LIGHTNING = """\
import lightning.pytorch as pl
import torch
from gradguard.runtime.lightning import GradGuard


class Net(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 4)

    def training_step(self, batch, index):
        y = self.layer(batch[0]).exp()
        CHANGE
        return y.mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)


data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.randn(8, 4)), batch_size=4)
options = {"logger": False, "enable_checkpointing": False, "enable_progress_bar": False, "accelerator": "cpu"}
pl.Trainer(max_epochs=2, callbacks=[GradGuard()], enable_model_summary=False, **options).fit(Net(), data)
"""

TRANSFORMERS = """\
import torch
from transformers import Trainer, TrainingArguments
from gradguard.runtime.transformers import GradGuard


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 4)

    def forward(self, x, labels=None):
        y = self.layer(x).exp()
        CHANGE
        return {"loss": y.mean()}


data = [{"x": torch.randn(4), "labels": torch.zeros(())} for _ in range(8)]
quiet = {"report_to": [], "disable_tqdm": True, "save_strategy": "no"}
options = TrainingArguments("out", num_train_epochs=2, use_cpu=True, **quiet)
Trainer(Net(), options, train_dataset=data, callbacks=[GradGuard()]).train()
"""

NOTEBOOK = """\
from IPython.testing.globalipapp import start_ipython

shell = start_ipython()
shell.run_line_magic("load_ext", "gradguard")
shell.run_cell("import torch")
shell.run_cell("%%gradguard\\ny = torch.ones(3, requires_grad=True).exp()\\nCHANGE\\ny.sum().backward()")
"""

FRAMES = [("lightning", LIGHTNING), ("transformers", TRANSFORMERS), ("IPython", NOTEBOOK)]


def ran(folder: Path, needed: str, text: str, change: str) -> subprocess.CompletedProcess[str]:
    """A run of a program, where what it needs is installed."""
    pytest.importorskip(needed)
    (folder / "main.py").write_text(dedent(text).replace("CHANGE", change))
    offline = {**os.environ, "HF_HUB_OFFLINE": "1", "IPYTHONDIR": str(folder)}
    return subprocess.run([sys.executable, "main.py"], cwd=folder, capture_output=True, text=True, env=offline)


@pytest.mark.parametrize(("needed", "text"), FRAMES)
@pytest.mark.parametrize(("change", "code"), [("y += 1", "GG101"), ("y.data.zero_()", "GG111")])
def test_a_failure_and_a_wrong_gradient_are_told_with_the_line(
    tmp_path: Path, needed: str, text: str, change: str, code: str
) -> None:
    got = ran(tmp_path, needed, text, change)
    assert got.stderr.count(f"[{code}]") == 1, got.stderr
    assert f"{change}\n" in got.stderr
    assert "seen when it ran" in got.stderr


@pytest.mark.parametrize(("needed", "text"), FRAMES)
def test_what_is_fine_is_told_nothing_of(tmp_path: Path, needed: str, text: str) -> None:
    got = ran(tmp_path, needed, text, "y = y + 1")
    assert got.returncode == 0, got.stderr
    assert "GG1" not in got.stderr
