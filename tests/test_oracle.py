"""The oracle's own tests: what it tells of small programs whose answer is plain."""

from __future__ import annotations

from textwrap import dedent
from typing import TYPE_CHECKING

import pytest

from .oracle.answers import Row, Verdict
from .oracle.client import run_program, trace_versions, watched

if TYPE_CHECKING:
    from pathlib import Path


def write(folder: Path, text: str) -> Path:
    path = folder / "main.py"
    path.write_text(dedent(text))
    return path


def test_a_stale_tensor_is_told_with_the_lines_that_made_it_so(tmp_path: Path) -> None:
    program = """\
        import torch
        from helper import shift
        x = torch.ones(2, requires_grad=True)
        y = x.exp()
        shift(y)
        y.sum().backward()
        """
    write(tmp_path, program)
    (tmp_path / "helper.py").write_text("def shift(y):\n    y += 1\n    y -= 1\n")
    got = run_program(tmp_path)
    assert (got.kind, got.saved, got.mutation) == ("stale-saved", ("main.py:4",), ("helper.py:2", "helper.py:3"))
    assert (got.raised, got.stack) == ("main.py:6", ("main.py:6",))


def test_a_stale_tensor_that_backward_does_not_reach_is_no_failure(tmp_path: Path) -> None:
    program = """\
        import torch
        x = torch.ones(2, requires_grad=True)
        y = x.exp()
        y += 1
        (x * 2).sum().backward()
        """
    assert run_program(write(tmp_path, program)) == Verdict(ok=True)


def test_a_write_behind_the_counter_is_silent(tmp_path: Path) -> None:
    program = """\
        import torch
        x = torch.ones(2, requires_grad=True)
        y = x.exp()
        y.data.zero_()
        torch.autograd.grad(y.sum(), x)
        """
    got = run_program(write(tmp_path, program))
    assert (got.ok, got.kind, got.saved, got.mutation) == (False, "silent-stale", ("main.py:3",), ("main.py:4",))


def test_a_custom_function_saves_where_it_is_applied(tmp_path: Path) -> None:
    program = """\
        import torch

        class Double(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return 2 * x

            @staticmethod
            def backward(ctx, grad):
                return 2 * grad + 0 * ctx.saved_tensors[0]

        x = torch.ones(2, requires_grad=True) + 0
        y = Double.apply(x)
        x.zero_()
        y.sum().backward()
        """
    got = run_program(write(tmp_path, program))
    assert (got.saved, got.mutation, got.raised) == (("main.py:14",), ("main.py:15",), "main.py:11")


def test_the_gradient_of_a_non_leaf_is_a_failure_though_nothing_is_raised(tmp_path: Path) -> None:
    program = """\
        import torch
        x = torch.ones(2, requires_grad=True) * 2
        x.sum().backward()
        print(x.grad)
        """
    got = run_program(write(tmp_path, program))
    assert (got.kind, got.mutation, got.message) == ("nonleaf-grad", ("main.py:4",), None)


def test_a_program_that_fails_otherwise_is_other(tmp_path: Path) -> None:
    got = run_program(write(tmp_path, "def f():\n    raise KeyError('shape')\nf()\n"))
    assert (got.kind, got.raised, got.stack) == ("other", "main.py:2", ("main.py:3", "main.py:2"))


def test_a_program_that_kills_its_interpreter_is_told_and_the_next_one_runs(tmp_path: Path) -> None:
    path = write(tmp_path, "import os\nos._exit(3)\n")
    with pytest.raises(RuntimeError, match="crashed"):
        run_program(path)
    assert run_program(write(tmp_path, "print('fine')\nraise SystemExit(1)\n")) == Verdict(ok=True)


def test_versions_are_told_after_each_statement_as_it_last_ran(tmp_path: Path) -> None:
    program = """\
        import torch
        x = torch.ones(4, requires_grad=True)
        y = x * 2
        v = y[:2]
        for _ in range(2):
            v.add_(
                1)
        z = y.clone()
        """
    assert trace_versions(write(tmp_path, program)) == [
        Row(2, "x", 0, requires_grad=True, is_leaf=True, storage=0),
        Row(3, "x", 0, requires_grad=True, is_leaf=True, storage=0),
        Row(3, "y", 0, requires_grad=True, is_leaf=False, storage=1),
        Row(4, "v", 0, requires_grad=True, is_leaf=False, storage=1),
        Row(4, "y", 0, requires_grad=True, is_leaf=False, storage=1),
        Row(6, "v", 2, requires_grad=True, is_leaf=False, storage=1),
        Row(8, "y", 2, requires_grad=True, is_leaf=False, storage=1),
        Row(8, "z", 0, requires_grad=True, is_leaf=False, storage=2),
    ]


def test_versions_of_attributes_are_told_up_to_the_failure(tmp_path: Path) -> None:
    program = """\
        import torch
        net = torch.nn.Linear(2, 1)
        with torch.no_grad():
            net.weight += 1
        net.weight += 1
        net.weight += 1
        """
    rows = trace_versions(write(tmp_path, program))
    assert [(row.line, row.name, row.requires_grad) for row in rows] == [(4, "net.weight", True)]
    assert rows[0].version == 2  # one for its initialisation


def test_the_change_of_what_a_view_was_multiplied_with_is_told_with_its_line(tmp_path: Path) -> None:
    program = """\
        import torch
        x = torch.rand(2, 3, requires_grad=True) * 1
        y = torch.rand(3)
        x[0] *= y
        y.add_(1)
        x.sum().backward()
        """
    verdict = run_program(write(tmp_path, program))
    assert verdict.kind == "stale-saved"
    assert verdict.saved == ("main.py:4",)
    assert "main.py:5" in verdict.mutation


def test_a_write_to_memory_that_a_tensor_was_given_later_did_not_change_it(tmp_path: Path) -> None:
    program = """\
        import torch
        x, w = torch.rand(3), torch.rand(3, requires_grad=True)
        y = x.minimum(w)
        other = torch.rand(3)
        other.add_(1)
        x.set_(other)
        y.sum().backward()
        """
    verdict = run_program(write(tmp_path, program))
    assert (verdict.kind, verdict.saved) == ("stale-saved", ("main.py:3",))
    assert "main.py:5" not in verdict.mutation


def test_a_call_that_writes_over_what_it_has_saved_is_silent(tmp_path: Path) -> None:
    program = """\
        import torch
        x = torch.rand(3, requires_grad=True) + 1
        y = x.unsafe_chunk(1)[0]
        x *= y
        x.sum().backward()
        """
    verdict = run_program(write(tmp_path, program))
    assert (verdict.kind, verdict.saved) == ("silent-stale", ("main.py:4",))


def test_a_buffer_that_a_call_fills_after_it_was_saved_is_no_failure(tmp_path: Path) -> None:
    program = """\
        import torch
        x = torch.rand(3, requires_grad=True) * 2
        torch.nn.functional.rrelu_(x, training=True)
        x.sum().backward()
        """
    assert run_program(write(tmp_path, program)).ok


def test_the_first_of_several_stale_tensors_is_the_one_that_pytorch_names(tmp_path: Path) -> None:
    program = """\
        import torch
        x = torch.rand((), requires_grad=True).exp()
        x[...] *= x
        x.backward()
        """
    (first, *_), _ = watched(write(tmp_path, program))
    assert first.saved is not None
    assert first.saved.spot.line + 1 == 3
