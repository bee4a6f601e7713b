"""What is a view of a complex tensor and, of any other, the tensor itself; and transposes of numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..call import Call, Family
from .names import both, methods

if TYPE_CHECKING:
    from ...autograd.tensors import Tensor
    from ..interpreter import Interpreter


def is_real(m: Interpreter, call: Call, source: Tensor) -> bool | None:
    """Whether a tensor is of real numbers."""
    return None if source.dtype is None else not source.dtype.startswith("complex")


TRANSPOSES = (*both("adjoint"), *methods("mT mH H"))
"""what gives a tensor without dimensions itself (`matrix_transpose`)"""

FAMILIES = {
    both("real conj"): Family(unchanged=is_real, otherwise_view=True),
    both("conj_physical"): Family(unchanged=is_real),
    TRANSPOSES: Family(numbers_as_they_are=True),
}
