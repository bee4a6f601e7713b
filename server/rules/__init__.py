"""The rules, by code. Each has a file of its own; `diagnostic.diagnose` applies them to a report.

Imports `analyses` and what is below it. Begin reading with `inplace_on_saved.py`, a rule with its page, an example that
fails and one that works; then `rule.py` (what a rule is) and `diagnostic.py` (how a failure finds its rule).
"""

from __future__ import annotations

from . import (
    carried_graph,
    custom_function_contract,
    deepcopy_nonleaf,
    freed_graph,
    inference_tensor,
    inplace_on_saved,
    integer_requires_grad,
    leaf_inplace,
    lost_leaf,
    multi_view_inplace,
    no_grad_view_inplace,
    out_with_grad,
    overlapping_write,
    single_precision_gradcheck,
    step_before_backward,
    unseen_write,
    unused_suppression,
    view_of_leaf_inplace,
    wrong_backward,
)
from .rule import Rule, Severity

_IN_ORDER = (
    inplace_on_saved.RULE,
    step_before_backward.RULE,
    carried_graph.RULE,
    unseen_write.RULE,
    leaf_inplace.RULE,
    view_of_leaf_inplace.RULE,
    multi_view_inplace.RULE,
    no_grad_view_inplace.RULE,
    overlapping_write.RULE,
    out_with_grad.RULE,
    inference_tensor.RULE,
    freed_graph.RULE,
    lost_leaf.RULE,
    single_precision_gradcheck.RULE,
    integer_requires_grad.RULE,
    wrong_backward.RULE,
    custom_function_contract.RULE,
    deepcopy_nonleaf.RULE,
    unused_suppression.RULE,
)

RULES: dict[str, Rule] = {rule.code: rule for rule in _IN_ORDER}
"""every rule by its code, in the order of the codes"""

_BY_NAME = {rule.name: rule for rule in _IN_ORDER}


def rule(code_or_name: str) -> Rule:
    """The rule with a code (`GG101`, `gg101`) or a name (`inplace-on-saved`). Raises KeyError if there is none."""
    return RULES.get(code_or_name.upper()) or _BY_NAME[code_or_name.lower()]


def explaining(error: str) -> list[Rule]:
    """The rules that explain a text with one of PyTorch's error messages in it, in the order of their codes."""
    text = " ".join(error.split())
    return [rule for rule in _IN_ORDER if any(piece in text for piece in rule.error)]


__all__ = ["RULES", "Rule", "Severity", "explaining", "rule"]
