"""Sequences of different lengths."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from gradguard.analyses import replay
from gradguard.syntax.chunks import parse

from ...oracle.client import trace_versions
from ..replaying import Alone
from ..states import states_of, wrong_rows
from .agreement import assert_agreement

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    "changed", ["padded", "packed.data", "hidden", "first", "net.bias_hh_l0", "out", "output.data"]
)
@pytest.mark.parametrize("kind", ["GRU", "LSTM"])
def test_a_change_after_a_packed_run(tmp_path: Path, kind: str, changed: str) -> None:
    assert_agreement(
        tmp_path,
        f"""
        import torch
        from torch import nn
        from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

        torch.manual_seed(0)
        net = nn.{kind}(2, 3)
        leaf = torch.randn(3, 2, requires_grad=True)
        first, second = leaf * 2, torch.randn(2, 2)
        padded = pad_sequence([first, second])
        packed = pack_padded_sequence(padded, [3, 2])
        output, hidden = net(packed)
        hidden = hidden[0] if isinstance(hidden, tuple) else hidden
        out, lengths = pad_packed_sequence(output)
        loss = out.sum() + hidden.sum()
        with torch.no_grad():
            {changed}.mul_(2)
        loss.backward()
        """,
    )


@pytest.mark.parametrize(("options", "lengths"), [("", "[3, 2]"), (", enforce_sorted=False", "[2, 3]")])
def test_what_is_padded_again_is_copied_into_its_order(tmp_path: Path, options: str, lengths: str) -> None:
    path = tmp_path / "main.py"
    path.write_text(
        "import torch\n"
        "from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence\n"
        f"packed = pack_padded_sequence(torch.randn(3, 2, 4), torch.tensor({lengths}){options})\n"
        "output, _ = torch.nn.LSTM(4, 5)(packed); there, back = packed[2:]; also = output.unsorted_indices\n"
        "padded, lengths = pad_packed_sequence(output)\n"
    )
    states = states_of(replay([parse(path.read_text(), "main.py")], Alone()).rows)
    assert (5, "padded") in states
    assert not wrong_rows(states, trace_versions(path))


def test_sequences_that_are_packed_may_have_any_order(tmp_path: Path) -> None:
    path = tmp_path / "main.py"
    path.write_text(
        "import torch\n"
        "from torch.nn.utils.rnn import pack_sequence\n"
        "packed = pack_sequence([torch.rand(2, 3), torch.rand(3, 3)], False)\n"
        "there, back = packed[2:]\n"
    )
    states = states_of(replay([parse(path.read_text(), "main.py")], Alone()).rows)
    assert (4, "back") in states
    assert not wrong_rows(states, trace_versions(path))


@pytest.mark.parametrize("changed", ["output", "net.bias_hh_l0", "net.weight_hh_l0", "x", "state", "memory"])
@pytest.mark.parametrize(
    ("options", "kind"), [("", "float32"), ("", "float64"), (", proj_size=2", "float32"), (", bias=False", "float64")]
)
def test_an_lstm_is_made_of_small_operations_where_no_other_is_there(
    tmp_path: Path, options: str, kind: str, changed: str
) -> None:
    if "bias" in options and "bias" in changed:
        return
    assert_agreement(
        tmp_path,
        f"""
        import torch
        from torch import nn

        net = nn.LSTM(2, 3{options}).{"double" if kind == "float64" else "float"}()
        x = torch.randn(4, 1, 2, dtype=torch.{kind})
        state = torch.randn(1, 1, {2 if "proj" in options else 3}, dtype=torch.{kind})
        memory = torch.randn(1, 1, 3, dtype=torch.{kind})
        output, _ = net(x, (state, memory))
        with torch.no_grad():
            {changed}.mul_(2)
        output.sum().backward()
        """,
    )
