"""Models of the libraries that programs use, one file a library or part of it."""

from __future__ import annotations


def load_models() -> None:
    """Let every model register itself; done once, when the first replay starts."""
    from . import (  # noqa: F401
        amp,
        argparse,
        attention,
        builtins,
        chance,
        collectives,
        compilers,
        data,
        dataclasses,
        distributions,
        einops,
        einsum,
        func,
        gradcheck,
        gradients,
        grids,
        hooks,
        iterables,
        itertools,
        library_ops,
        lists,
        losses,
        lowrank,
        mappings,
        module_dicts,
        nn_modules,
        numpy,
        operator,
        optimizers,
        parametrize,
        products,
        pytree,
        queues,
        rnn,
        schedules,
        state_dicts,
        stdlib,
        tensors,
        texts,
        transformer,
    )
