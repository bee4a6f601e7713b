"""What the out-of-place forms say of torch holds for the torch that is installed."""

import torch
from gradguard.fixes.outplace import NO_FUNCTIONAL, OTHER_RESULT

IN_PLACE = {name for name in dir(torch.Tensor) if name.endswith("_") and not name.startswith("_")}


def test_the_methods_without_a_twin_are_these() -> None:
    assert {name for name in IN_PLACE if not hasattr(torch.Tensor, name[:-1])} == NO_FUNCTIONAL


def test_the_methods_with_another_result_exist() -> None:
    assert OTHER_RESULT <= IN_PLACE - NO_FUNCTIONAL


def test_the_other_twins_keep_the_dtype() -> None:
    x = torch.tensor([0.0, 1.0])
    for name in sorted(IN_PLACE - NO_FUNCTIONAL - OTHER_RESULT):
        twin = getattr(x, name[:-1])
        for arguments in ((), (x,)):
            try:
                result = twin(*arguments)
            except (TypeError, RuntimeError):
                continue
            assert result.dtype == x.dtype, name
