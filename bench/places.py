"""Where one types: in files of PyTorch, timm and transformers, and in programs like those that people write.

`programs` has the latter, readable; the long script, the project and the notebook are put together from its parts.
"""

from __future__ import annotations

import ast
import json
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ecosystem import packages

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

PROGRAMS = Path(__file__).parent / "programs"
VISION = PROGRAMS / "vision"
PARTS = ("config", "data", "layers", "losses", "metrics", "schedule", "average", "step")
NETWORKS = (
    *("Residual", "Bottleneck", "Squeeze", "Inverted", "Dense"),
    *("Attention", "Mixer", "ConvNext", "Gated", "Shuffle"),
)
CELLS = 300

IMPORTS = (
    "import contextlib",
    "from collections import OrderedDict",
    "from torch.optim import SGD",
    "import numpy as np",
)
MODULE = ("rate = 0.1", "scale = torch.exp(torch.ones(3))", "scale += 1", "if rate > 1:", "    rate = 1.0")
FACTORY = ("model.eval()", "count = sum(p.numel() for p in model.parameters())", "if count > 10:", "    return model")
ENTRIES = ("'vit_own_patch16_224.untrained': _cfg(url='', num_classes=10),", "'vit_own_patch8_224.untrained': _cfg(),")


def using(tensor: str) -> tuple[str, ...]:
    """Statements of a function that has a tensor."""
    first = f"scale = torch.exp({tensor})"
    return first, "scale += 1", "if scale is None:", f"    return {tensor} * 2", "total = scale.sum()"


# -- spots in a text ---------------------------------------------------------------------------------


Spot = tuple[int, str]
"""The line before which one types, from 0, and its indentation."""


def middle(text: str) -> Spot:
    """Before the statement of a function that is nearest to the middle of the file."""
    centre = text.count("\n") // 2
    inner = [
        statement
        for function in ast.walk(ast.parse(text))
        if isinstance(function, ast.FunctionDef)
        for statement in function.body[1:]
    ]
    nearest = min(inner, key=lambda statement: abs(statement.lineno - 1 - centre))
    return nearest.lineno - 1, " " * nearest.col_offset


def within(name: str, text: str) -> Spot:
    """Before the last statement of a function, or of a method: `Class.method`."""
    node: ast.AST = ast.parse(text)
    for part in name.split("."):
        kinds = (ast.ClassDef, ast.FunctionDef)
        node = next(one for one in ast.walk(node) if isinstance(one, kinds) and one.name == part)
    assert isinstance(node, ast.FunctionDef)
    return node.body[-1].lineno - 1, " " * node.body[-1].col_offset


def before(beginning: str, text: str) -> Spot:
    """Before the first line that begins so."""
    number, line = next((n, line) for n, line in enumerate(text.splitlines()) if line.lstrip().startswith(beginning))
    return number, line[: len(line) - len(line.lstrip())]


# -- programs ----------------------------------------------------------------------------------------
# Each is a function from the folder of PyPI's packages, and one to write to, to the folder that it is in.


def package(name: str, fetched: Path, _: Path) -> Path:
    """The source of a package, downloaded if it is not there yet."""
    (one,) = (one for one in packages.listed(packages.HERE / "packages.toml") if one.key == name)
    packages.fetch([one], fetched)
    return fetched / one.folder


def real(name: str, _: Path, into: Path) -> Path:
    """A program of `programs` as it is."""
    (into / name).write_text((PROGRAMS / name).read_text("utf-8"), "utf-8")
    return into


def script(_: Path, into: Path) -> Path:
    """A training script of about 1,300 lines."""
    (into / "train.py").write_text(training_script(), "utf-8")
    return into


def project(_: Path, into: Path) -> Path:
    """A project of 30 files."""
    (into / "vision").mkdir()
    for name, text in training_files().items():
        (into / "vision" / f"{name}.py").write_text(text, "utf-8")
    return into


def notebook(_: Path, into: Path) -> Path:
    """A notebook of 300 cells."""
    cells = [
        {
            "cell_type": "code",
            "execution_count": None,
            "id": f"cell-{number}",
            "metadata": {},
            "outputs": [],
            "source": cell,
        }
        for number, cell in enumerate(notebook_cells())
    ]
    content = {"cells": cells, "metadata": {"language_info": {"name": "python"}}, "nbformat": 4, "nbformat_minor": 5}
    (into / "compare.ipynb").write_text(json.dumps(content, indent=1), "utf-8")
    return into


def training_files() -> dict[str, str]:
    """The files of the project: what all networks share, each network, an experiment with it, and two that run them."""
    files = {name: (VISION / f"{name}.py").read_text("utf-8") for name in (*PARTS, "train")}
    for part in "residual", "residual_experiment":
        text = (VISION / f"{part}.py").read_text("utf-8")
        for name in NETWORKS:
            own = text.replace("Residual", name).replace("residual", name.lower())
            files[part.replace("residual", name.lower())] = own
    experiments = [f"{name.lower()}_experiment" for name in NETWORKS]
    files["compare"] = "\n".join(
        [
            '"""All experiments, one after the other."""\n',
            "from .config import Config",
            *(f"from .{name} import {name}" for name in experiments),
            "\nconfig = Config(epochs=1, samples=1000)",
            *(f"print({name}(config))" for name in experiments),
            "",
        ]
    )
    return files


def training_script() -> str:
    """The files of the project in one, as scripts grow."""
    files = training_files()
    own = [*PARTS, *(name for name in files if name not in (*PARTS, "train", "compare")), "train"]
    heads, bodies = zip(*(_parted(files[name]) for name in own), strict=True)
    title = '"""Trains an image classifier, and compares networks."""\n'
    return "\n".join([title, _sorted(heads), "\n", "\n\n\n".join(bodies), ""])


def _sorted(heads: Iterable[list[str]]) -> str:
    lines = {line for head in heads for line in head}
    return "\n".join(sorted(lines, key=lambda line: (line.startswith("from"), line)))


def _parted(text: str) -> tuple[list[str], str]:
    """The imports of other packages, and what follows them, but for what runs a module as a script."""
    lines = text.split("\nif __name__ ==")[0].splitlines()
    found = [number for number, line in enumerate(lines) if line.startswith(("import ", "from "))]
    others = [lines[number] for number in found if not lines[number].startswith("from .")]
    return others, "\n".join(lines[found[-1] + 1 :]).strip()


EXPLORED = (
    "model = NAME(config.classes)\nsum(parameter.numel() for parameter in model.parameters())",
    "images, labels = next(iter(train_loader))\nimages.shape, labels[:8]",
    "features = model.features(images)\nfeatures.shape",
    "features.mean(dim=(0, 2, 3)).detach()",
    "optimizer = make_optimizer(model, config)\nschedule = WarmupCosine(optimizer, config.warmup, config.steps)\n"
    "average = MovingAverage(model)",
    "losses = []\nfor images, labels in train_loader:\n"
    "    loss, norm = train_step(model, criterion, optimizer, schedule, average, images, labels, config)\n"
    "    losses.append(loss)",
    "plt.plot(losses)\nplt.title('NAME')",
    "model.zero_grad()\nloss = criterion(model(images), labels)\nloss.backward()\ngradient_norm(model)",
    "with torch.no_grad():\n    probabilities = model(images).softmax(dim=-1)\nprobabilities.amax(dim=-1).mean()",
    "results['NAME'] = evaluate(average.model, criterion, valid_loader, config)\nresults['NAME']",
    "torch.save(average.model.state_dict(), 'NAME.pt')",
)
"""what one tries with each network in a notebook, a cell each"""


def notebook_cells() -> list[str]:
    """The cells of a notebook: imports, what the script defines, and then each network tried."""
    files = training_files()
    own = [name for name in files if name in PARTS or f"{name}_experiment" in files]
    heads, bodies = zip(*(_parted(files[name]) for name in own), strict=True)
    cells = [_sorted(heads), "import matplotlib.pyplot as plt"]
    cells += [piece.strip() for body in bodies for piece in body.split("\n\n\n")]
    cells += ["config = Config(samples=1000, epochs=1)", "train_loader, valid_loader = make_loaders(config)"]
    cells += ["criterion = SmoothedCrossEntropy(config.smoothing)\nresults = {}"]
    for size in "small", "base":
        for name in NETWORKS:
            cells += [cell.replace("NAME", f"{name.lower()}_{size}") for cell in EXPLORED]
    return cells[:CELLS]


# -- the places --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Place:
    """A spot in a file of a program, what is typed there, and whether all other files of its folder are open."""

    title: str
    program: Callable[[Path, Path], Path]
    file: str
    spot: Callable[[str], Spot]
    typed: tuple[str, ...]
    crowded: bool = False


def _timm(title: str, spot: Callable[[str], Spot], typed: tuple[str, ...]) -> Place:
    file = "timm/models/vision_transformer.py"
    return Place(f"timm's `vision_transformer.py`: {title}", partial(package, "timm"), file, spot, typed)


def _transformers(name: str, method: str) -> Place:
    title = f"transformers' `modeling_{name}.py`: `{method}`"
    file = f"transformers/models/{name}/modeling_{name}.py"
    return Place(title, partial(package, "transformers"), file, partial(within, method), using("hidden_states"))


def _script(title: str, spot: Callable[[str], Spot], typed: tuple[str, ...]) -> Place:
    return Place(f"a script of 1,300 lines: {title}", script, "train.py", spot, typed)


PLACES = {
    "timm-top": _timm("its top", partial(before, "_logger ="), MODULE),
    "timm-configurations": _timm("inside `default_cfgs`", partial(before, "'vit_small_patch16_224."), ENTRIES),
    "timm-block": _timm("`Block.forward`", partial(within, "Block.forward"), using("x")),
    "timm-transformer": _timm(
        "`VisionTransformer.forward_features`", partial(within, "VisionTransformer.forward_features"), using("x")
    ),
    "timm-factory": _timm("`vit_base_patch16_224()`", partial(within, "vit_base_patch16_224"), FACTORY),
    "llama": _transformers("llama", "LlamaAttention.forward"),
    "bart": _transformers("bart", "BartAttention.forward"),
    "script-class": _script("a class", partial(within, "ConvNextBlock.forward"), using("x")),
    "script-step": _script("the step", partial(within, "train_step"), using("logits")),
    "script-module": _script("what the module itself does", partial(before, "stopping = EarlyStopping"), MODULE),
    "import": _script("an import", partial(before, "from torch import nn"), IMPORTS),
    "base": Place(
        "the base of 20 classes: its `forward`",
        partial(real, "forecasters.py"),
        "forecasters.py",
        partial(within, "Forecaster.forward"),
        using("x"),
    ),
    "project": Place(
        "a project of 30 open files: a layer that all use",
        project,
        "vision/layers.py",
        partial(within, "ConvNorm.forward"),
        using("x"),
        crowded=True,
    ),
    "notebook": Place(
        "a notebook of 300 cells: one in the middle", notebook, "compare.ipynb", lambda _: (0, ""), MODULE
    ),
    "lightning": Place(
        "a Lightning module of 300 lines: `training_step`",
        partial(real, "lightning_module.py"),
        "lightning_module.py",
        partial(within, "Autoencoder.training_step"),
        using("images"),
    ),
}
