"""What names tell: some attributes are those of tensors alone, and some tensors hold integers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from . import tensor_attributes

if TYPE_CHECKING:
    from .machine import Machine
    from .values import Unknown


def _names(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text))


OF_OTHERS = _names("""
    add bfloat16 bool byte char cpu cuda data device double expand float get_device half index int ipu is_cuda long
    mean mode mtia new real imag requires_grad_ share_memory_ short size sort split to type values xpu
""")
"""what numbers, containers, modules, optimizers and distributions have as well as tensors"""

OF_ARRAYS = _names("""
    T abs all any argmax argmin argsort clip conj cov cummax cummin cumprod cumsum diagonal diff div divide dot dtype
    eq flatten ge gt item itemsize le lt mT max median min mul multiply nbytes ndim ne nonzero pow prod put quantile
    ravel repeat reshape resize round select shape squeeze std sub subtract sum swapaxes take tolist trace transpose
    unique var view where
""")
"""what arrays of NumPy and tables of pandas have as well as tensors"""


def tells_tensor(m: Machine, v: Unknown, name: str) -> bool:
    """Whether an unknown argument, or what a model has given, must be a tensor, to have an attribute of that name.

    What goes into the `forward` of a module is no array, nor what comes from a model.
    """
    from_model = v.history is not None
    if v.own or not (v.parameter or v.result or from_model):
        return False
    if name in OF_OTHERS or not tensor_attributes.is_known(name):
        return False
    return name not in OF_ARRAYS or from_model or any(a.kind == "trained" for a in m.entry_assumptions)


OF_INTEGERS = _names("id ids idx idxs index indexes indices ind inds len lengths lens length")
"""the last words of names that indices and lengths have"""


def tells_integers(name: str) -> bool:
    """Whether a tensor of that name holds integers, which cannot require grad: `edge_index`, `batch.lengths`."""
    words = re.findall(r"[a-z0-9]+", name.rpartition(".")[2].lower())
    return bool(words) and words[-1] in OF_INTEGERS
