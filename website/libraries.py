"""The page about the libraries that GradGuard knows, made from their models and the releases these are held against."""

from __future__ import annotations

import ast
import re
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from gradguard.analyses.libraries import polyfills

from . import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gradguard.rules.messages import Locale

MODELS = Path(str(files(polyfills)))
REQUIREMENTS = [ROOT / "tests" / "frameworks" / name for name in ("requirements.txt", "bare.txt")]

DISTRIBUTIONS = {
    "ignite": "pytorch-ignite",
    "lightning_fabric": "lightning",
    "mmcv": "mmcv-lite",
    "pyro": "pyro-ppl",
}
"""What a library is installed by, where that is not its own name."""

WORDS: dict[Locale, dict[str, str]] = {
    "en": {
        "title": "What GradGuard knows of your libraries",
        "intro": (
            "PyTorch itself is measured, operator by operator (`gradguard facts torch.exp`). Of the libraries below "
            "GradGuard has models, small Python files that it interprets: in which order they call your hooks, under "
            "which grad mode, what they save, change, and give as a view. Each model is held against the release "
            "that is named, by programs that run with both (`make frameworks`); other releases may differ.\n\n"
            "What is not named here is a call that nobody sees: it changes nothing, and hands gradients on where your "
            "program calls `backward()` on what comes back; a finding that rests on this says so. So is the rest of "
            "these libraries. A library that is not here, or not whole, you can [describe](../help/your-libraries.md)."
        ),
        "head": "| module | what is modelled |\n|---|---|",
        "on": "Held against {name} {release}.",
        "off": "Written from its source, and held against no release.",
    },
    "zh-cn": {
        "title": "GradGuard 对您所用的库了解什么",
        "intro": (
            "PyTorch 本身是逐个算子实测的（`gradguard facts torch.exp`）。"
            "对于下列库，GradGuard 有模型，即由它解释的小 Python 文件："
            "它们以何种顺序、在何种梯度模式下调用您的钩子，保存、修改了什么，哪些结果是视图。"
            "每个模型都对照所注明的版本，用同时运行两者的程序来检验（`make frameworks`）；"
            "其他版本可能不同。\n\n"
            "这里没有列出的，就是看不见的调用：假定它什么都不修改，"
            "并且在您的程序对其结果调用 `backward()` 之处传递梯度；以此为依据的发现会写明这一点。"
            "这些库的其余部分也是如此。"
            "这里没有的库，或不完整的库，您可以自己[描述](../help/your-libraries.md)。"
        ),
        "head": "| 模块 | 模型包含的内容 |\n|---|---|",
        "on": "对照 {name} {release} 检验。",
        "off": "根据其源代码编写，未对照任何版本检验。",
    },
}


def libraries(locale: Locale) -> str:
    """The page in a language."""
    words, known = WORDS[locale], releases()
    parts = [f"# {words['title']}", words["intro"]]
    for name in sorted(polyfills.known(), key=str.lower):
        distribution = DISTRIBUTIONS.get(name, name)
        release = known.get(_plain(distribution))
        rows = [f"| `{module}` | {said} |" for module, said in modules(name)]
        parts += [f"## {name}", words["on"].format(name=distribution, release=release) if release else words["off"]]
        parts.append("\n".join([words["head"], *rows]))
    return "\n\n".join(parts) + "\n"


def releases() -> dict[str, str]:
    """The release of each distribution that the models are held against."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in REQUIREMENTS)
    lines = re.findall(r"^([\w-]+)==(\S+)$", text, re.MULTILINE)
    return {_plain(name): release for name, release in lines}


def _plain(name: str) -> str:
    return name.lower().replace("_", "-")


def modules(library: str) -> Iterator[tuple[str, str]]:
    """The modules of a library that have a model, each with what its first line says."""
    for path in sorted((MODELS / library).rglob("*.py")):
        parts = path.relative_to(MODELS).with_suffix("").parts
        if path.stem.startswith("_") and path.stem != "__init__":
            continue
        said = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
        assert said is not None, path
        yield ".".join(part for part in parts if part != "__init__"), said.partition("\n")[0]
