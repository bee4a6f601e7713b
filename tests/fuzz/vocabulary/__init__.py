"""The statements that programs are drawn from, with their weights.

Each is a function from a `Chooser` to the statements that it draws, None where nothing in scope fits. What it draws
may make no sense: it is tried before it is kept.
"""

from __future__ import annotations

from collections.abc import Callable

from ..chooser import Chooser
from ..program import Drawn
from .gradients import backward, closing, function_class, gradient, hook
from .mistakes import again, checked, copied_deeply, inferred, lost_gradient, of_integers, unseen, written_out
from .modules import module, module_setting, optimizer, own_module, sequential, training, updated
from .python import (
    branch,
    call_again,
    carried,
    checkpoint,
    closure,
    container,
    foreach,
    function,
    loop,
    mode,
    skipped,
    while_loop,
)
from .tensors import alias, assigned, augmented, bridge, change, leaf, operation, setting, silent, start, unpacked, view
from .trainings import (
    actor_and_critic,
    heads,
    leaf_changed,
    losses_kept,
    made_once,
    parts_changed,
    rivals,
    state_kept,
)

__all__ = ["CHANGES", "CLOSINGS", "DRAWS", "ENDS", "TRAININGS", "Draw", "closing", "start"]

Draw = Callable[[Chooser], Drawn]

DRAWS: dict[Draw, float] = {
    leaf: 5,
    operation: 34,
    view: 10,
    change: 16,
    augmented: 11,
    assigned: 8,
    unpacked: 3,
    alias: 4,
    bridge: 1.5,
    silent: 1,
    setting: 1,
    backward: 3,
    gradient: 2,
    hook: 1,
    function_class: 1.5,
    module: 8,
    sequential: 2,
    own_module: 3,
    optimizer: 3,
    updated: 2,
    training: 2,
    module_setting: 1.5,
    mode: 3,
    branch: 2,
    loop: 2,
    while_loop: 0.7,
    carried: 2,
    function: 3,
    call_again: 2,
    closure: 1,
    container: 2.5,
    foreach: 1.5,
    checkpoint: 0.7,
    skipped: 1,
}
"""what a program is made of"""

TRAININGS: dict[Draw, float] = {
    rivals: 3,
    actor_and_critic: 3,
    heads: 2,
    state_kept: 4,
    losses_kept: 4,
    made_once: 1,
    leaf_changed: 2,
    parts_changed: 1,
}
"""what a program is that is one of these from its beginning to its end"""

CHANGES: dict[Draw, float] = {change: 3, augmented: 3, assigned: 2, unseen: 0.5}
"""what may come last before the closing, so that it meets what was saved"""

CLOSINGS: dict[Draw, float] = {
    closing: 70,
    again: 6,
    lost_gradient: 2,
    written_out: 2,
    of_integers: 2,
    copied_deeply: 2,
    inferred: 2,
    checked: 2,
}
"""what ends a program"""

ENDS: dict[str, float] = {
    "other": 0.0,
    "leaf-inplace": 0.1,
    "view-of-leaf-inplace": 0.2,
    "overlap-write": 0.3,
    "out-grad": 0.15,
    "requires-grad-dtype": 0.05,
    "deepcopy-nonleaf": 0.2,
    "inference-tensor": 0.3,
    "multi-view-inplace": 0.5,
    "no-grad-view-inplace": 0.6,
    "freed-graph": 0.5,
}
"""how often a failure that comes at once is kept; else another statement is drawn"""
