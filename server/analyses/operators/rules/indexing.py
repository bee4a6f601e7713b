"""Subscripts with lists and tensors, and tensors that are joined.

`cat` looks at the memory formats of what it joins (`cat_compute_output_memory_format` of `native/TensorShape.cpp`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...autograd.tensors import Tensor
from ..call import Call, Family
from ..cases import advanced
from .names import functions, methods

if TYPE_CHECKING:
    from ...autograd.gradients import Times
    from ...domain.values import Value
    from ..interpreter import Interpreter


def seen(m: Interpreter, call: Call) -> bool | None:
    """A list that is an index becomes a tensor, with which the call goes on."""
    return True if made_of_lists(call.values.get("index")) else None


def made_of_lists(index: Value) -> bool:
    """Whether an index has lists that become tensors, and nothing of which a view is taken first."""
    parts = index if isinstance(index, tuple) else (index,)
    taken = [i for i in parts if i is not Ellipsis and not isinstance(i, Tensor)]
    return bool(taken) and all(advanced((i,)) and not isinstance(i, bool) for i in taken)


def joined(m: Interpreter, call: Call) -> Times:
    """Tensors of different dtypes are copied into what they are joined to (`native/TensorShape.cpp`)."""
    dtypes = {t.dtype for t in call.all()}
    return (0, 1) if None in dtypes else (int(len(dtypes) > 1),) * 2


FAMILIES = {
    methods("__getitem__"): Family(seen=seen),
    functions("cat concat concatenate"): Family(unseen_writes=joined, in_one_format=True),
    functions("stack hstack vstack row_stack dstack column_stack"): Family(unseen_writes=joined),
}
