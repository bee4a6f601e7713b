"""The kinds of failures, each with what PyTorch's message for it matches; the first that matches counts."""

from __future__ import annotations

import re

KINDS = {
    "stale-saved": r"modified by an inplace operation",
    "view-of-leaf-inplace": r"a view of a leaf Variable that requires grad is being used in an in-place operation",
    "leaf-inplace": r"a leaf Variable that requires grad is being used in an in-place operation",
    "multi-view-inplace": r"is a view and (is being|its base or another view of its base has been) modified inplace",
    "no-grad-view-inplace": r"view (which )?was created in (no_grad|inference) mode",
    "overlap-write": r"unsupported operation: (more than one element of the written-to tensor|some elements of the)",
    "freed-graph": r"Trying to backward through the graph a second time",
    "gradcheck": r"Jacobian mismatch|Backward is not reentrant",
    "requires-grad-dtype": r"[Oo]nly Tensors of floating point",
    "inference-tensor": r"[Ii]nference tensor",
    "deepcopy-nonleaf": r"Only Tensors created explicitly by the user .* support the deepcopy",
    "out-grad": r"functions with out=\.\.\. arguments don't support automatic differentiation",
}


def kind_of(message: str) -> str | None:
    """The kind of failure that a message of PyTorch is about; None for any other message."""
    return next((kind for kind, pattern in KINDS.items() if re.search(pattern, message)), None)
