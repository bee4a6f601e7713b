"""Copies: a tensor that is copied back has its earlier content again.

kept = w.clone()        # `noted`: kept has the content of w
w.mul_(2)
y.backward()            # fails: y's graph saved the content that w had
w.copy_(kept)           # `content`: from here on w has that content again
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...autograd.tensors import Copied, Storage, Tensor, Version
from ...domain.values import ABSENT, Value
from ..call import Call, Family
from .names import both, functions, methods

if TYPE_CHECKING:
    from ..interpreter import Interpreter


def note_clone(m: Interpreter, call: Call, result: Value) -> None:
    """Keep what a clone is a copy of: it may be copied back."""
    if isinstance(result, Tensor):
        for t in call.tensors.get("input", call.tensors.get("self", ())):
            note(m, t, result)


def note_copy(m: Interpreter, call: Call, result: Value) -> None:
    """Keep what a buffer that is written is a copy of."""
    for t, source in zip(call.tensors.get("self", ()), call.tensors.get("src", ()), strict=False):
        note(m, source, t)


def note(m: Interpreter, source: Tensor, made: Tensor) -> None:
    """Keep that a tensor has the content of another now, if it is as wide and has as many bits."""
    storage, own = m.grad.storage(source), m.grad.storage(made)
    content, g, at = m.state.resolve(storage.content), source.geometry, made.geometry
    if not isinstance(content, Version) or g is None or at is None or g.shape != at.shape or source.dtype != made.dtype:
        return
    m.state.put(own, Storage.copied, Copied(storage, g, content.content, at, m.state.resolve(own.content)))


def put_back(m: Interpreter, call: Call, t: Tensor) -> Value:
    """The content of which a copy was made, where a call copies this copy to where it comes from."""
    for source in call.tensors.get("src", ()):
        storage = m.grad.storage(source)
        kept = m.state.resolve(storage.copied)
        if not isinstance(kept, Copied) or source.geometry != kept.at:
            continue
        if kept.own is not m.state.resolve(storage.content):
            continue
        if kept.storage is m.grad.storage(t) and kept.geometry == t.geometry:
            return kept.content
    return ABSENT


def is_source(m: Interpreter, call: Call, t: Tensor) -> bool:
    """Whether a tensor is copied to itself."""
    return t in call.tensors.get("src", ())


def is_there(m: Interpreter, call: Call, t: Tensor) -> bool:
    """Whether a call copies a tensor to where it is (`copy_impl` of `aten/src/ATen/native/Copy.cpp`)."""
    return any(m.grad.are_one(t, source) for source in call.tensors.get("src", ()))


VIEWS = (
    "alias_copy as_strided_copy ccol_indices_copy col_indices_copy crow_indices_copy detach_copy diagonal_copy "
    "expand_copy indices_copy permute_copy row_indices_copy select_copy slice_copy split_copy split_with_sizes_copy "
    "squeeze_copy t_copy transpose_copy unbind_copy unfold_copy unsqueeze_copy values_copy view_as_complex_copy "
    "view_as_real_copy view_copy"
)
"""operators that copy what the operator without `_copy` gives a view of"""

FAMILIES = {
    both("clone"): Family(copies=True, noted=note_clone),
    methods("copy_"): Family(noted=note_copy, content=put_back, writes_nothing=is_source, same_content=is_there),
    (*functions(VIEWS), *both("narrow_copy")): Family(copies=True),
}
