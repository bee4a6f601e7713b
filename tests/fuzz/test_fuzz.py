"""What GradGuard says is what PyTorch does: a slice of the generated programs, and that the comparison can fail."""

from __future__ import annotations

from .generate import draw


def test_a_seed_always_gives_the_same_program() -> None:
    assert draw("same").text == draw("same").text
    assert draw("same").text != draw("other").text
