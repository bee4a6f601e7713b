"""The page about PyTorch's operators: what each saves and changes, where releases differ, and the facts as JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from gradguard.facts import history, releases
from gradguard.facts.model import ModuleFact, Op
from gradguard.facts.releases import BASE, COVERAGE, KINDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gradguard.facts.model import Case, Fact
    from gradguard.rules.messages import Locale

WORDS: dict[Locale, dict[str, str]] = {
    "en": {
        "title": "What PyTorch's operators save",
        "intro": (
            "For each callable of PyTorch: which tensors it keeps for `backward()`, so that they must not be changed "
            "in place before it, and what it changes in place itself. All of it is measured: each callable is run "
            "with the samples of PyTorch's own tests, the version of each tensor is moved, and PyTorch is asked "
            "whether backward still runs. `gradguard facts NAME` tells more of each: by which arguments it does "
            "what, what its results share, and what other releases do. Names, `saves` and `changes` are those of "
            "PyTorch {base}; *at times* is by the arguments."
        ),
        "releases": "The releases",
        "releases-head": "| PyTorch | callables | of its own operators measured | different from |",
        "differs": "{count} from {beside}",
        "base": "the base",
        "differing": "Where releases differ",
        "differing-intro": "Callables that save, change or return something else, as `gradguard facts` tells it.",
        "all": "All callables",
        "head": "| callable | saves | changes |",
        "result": "its result",
        "own": "a tensor of its own",
        "some": "{what} at times",
        "json": "The facts as JSON",
        "json-text": (
            "`gradguard facts --output-format json` writes all of them for other programs, `--torch 2.15` those of a "
            "release; with a name, that one alone. `format` is {format}: it changes where a program that reads this "
            "might no longer understand it. `gradguard schema facts` prints [its JSON schema](facts.schema.json).\n\n"
            "| key | holds |\n|---|---|\n"
            "| `format`, `torch`, `measured` | the form, the release that was asked for, the one whose facts these "
            "are |\n"
            "| `facts` | by the callable's name, as programs write it, an object with what follows; what is empty or "
            "at its default is left out |\n"
            "| `kind` | `module` for classes of `torch.nn`, `optimizer`; functions and methods have none |\n"
            "| `params`, `forward`, `aliases` | the signature as in a `def`, that of a module's call, other names of "
            "parameters |\n"
            "| `cases` | the first whose `tests` on arguments all hold applies |\n"
            "| `cases[].saves` | `what` is saved for backward, a parameter, `out`, `out0`, … or `self.weight`, "
            "`when` all parameters of one of these lists require grad; `certain` is false where only some samples "
            "did |\n"
            "| `cases[].mutates` | `what` is changed in place, by how many `bumps` of its version; 0 is silent |\n"
            "| `cases[].results` | each a `kind`: `new`, a `view` `of` a parameter, the `same` tensor, an `alias` "
            "with a counter of its own, or it `depends` |\n"
            "| `cases[].flows`, `node`, `frees` | the parameters that a gradient flows to, the name of the "
            "`grad_fn`, when a second backward raises |\n"
            "| `inplace_of`, `accepts_out`, `out_bumps`, `out_graph` | the form out of place; what `out=` does |\n"
            "| `measured` | false where no sample runs: then what it saves is unknown |\n"
            "| `bumps`, `silent_when` | of an optimizer: how often `step()` changes a parameter, and when silently |\n"
            "| {kinds} | how gradients are handed on, and how results lie, as `server/facts/*.py` reads it |"
        ),
    },
    "zh-cn": {
        "title": "PyTorch 的算子保存什么",
        "intro": (
            "对 PyTorch 的每个可调用对象：它为 `backward()` 保留哪些张量（在此之前不能就地修改），"
            "以及它自己就地修改什么。"
            "全部为实测：用 PyTorch 自身测试的样例运行每个对象，改动每个张量的版本，再看反向传播是否仍能进行。"
            "`gradguard facts 名称` 说得更详细：什么参数下做什么、结果共享什么，以及其他版本的做法。"
            "名称、“保存”和“修改”以 PyTorch {base} 为准；“有时”取决于参数。"
        ),
        "releases": "各个版本",
        "releases-head": "| PyTorch | 可调用对象 | 实测的自带算子 | 差别 |",
        "differs": "与 {beside} 有 {count} 处不同",
        "base": "基准",
        "differing": "版本之间的差别",
        "differing-intro": "保存、修改或返回有所不同的可调用对象，写法同 `gradguard facts`。",
        "all": "所有可调用对象",
        "head": "| 可调用对象 | 保存 | 修改 |",
        "result": "其结果",
        "own": "自己的一个张量",
        "some": "有时 {what}",
        "json": "JSON 格式的事实",
        "json-text": (
            "`gradguard facts --output-format json` 把全部事实写给其他程序，"
            "`--torch 2.15` 选定版本，给出名称则只写那一个。"
            "`format` 为 {format}，仅在读取它的程序可能不再理解时改变。"
            "`gradguard schema facts` 打印[其 JSON schema](facts.schema.json)。各个键的含义见本页的英文版。"
        ),
    },
}


def operators(locale: Locale) -> str:
    """The page in a language."""
    from gradguard.facts.schema import FORMAT

    words = WORDS[locale]
    kinds = ", ".join(f"`{kind}`" for kind in KINDS[1:-1])
    parts = [
        f"# {words['title']}",
        words["intro"].format(base=BASE.name),
        f"## {words['releases']}",
        "\n".join([words["releases-head"], "|---|---|---|---|", *(_release(name, words) for name in releases.names())]),
        f"## {words['differing']}",
        words["differing-intro"],
        *(f"```text\n{name}\n" + "\n".join(told) + "\n```" for name, told in differing()),
        f"## {words['all']}",
        "\n".join([words["head"], "|---|---|---|", *(_row(fact, words) for fact in _facts())]),
        f"## {words['json']}",
        words["json-text"].format(format=FORMAT, kinds=kinds),
    ]
    return "\n\n".join(parts) + "\n"


def differing() -> Iterator[tuple[str, list[str]]]:
    """The callables in which releases differ, each with the lines that tell how, beside the base."""
    names = {name for release in releases.names() if release != BASE.name for name in releases.told(release)["table"]}
    for name in sorted(names):
        if told := list(history.differences(name, BASE.name)):
            yield name, told


def _release(name: str, words: dict[str, str]) -> str:
    told: Any = json.loads(COVERAGE.read_text(encoding="utf-8")) if name == BASE.name else releases.told(name)
    share = told["operators"]
    beside = words["differs"].format(count=len(told["table"]), beside=told["beside"]) if "table" in told else ""
    measured = f"{share['measured']} / {share['total']}"
    return f"| {told['torch']} | {told['callables']} | {measured} | {beside or words['base']} |"


def _facts() -> Iterator[Fact]:
    for name in BASE.table.names():
        fact = BASE.table.find(name)
        if isinstance(fact, (Op, ModuleFact)) and any(case.saves or case.mutates or case.frees for case in fact.cases):
            yield fact


def _row(fact: Fact, words: dict[str, str]) -> str:
    cases = fact.cases if isinstance(fact, (Op, ModuleFact)) else ()
    saves = _listed([{s.what: s.certain for s in case.saves} or _own(case) for case in cases], words)
    changes = _listed([{m.what: m.certain for m in case.mutates} for case in cases], words)
    return f"| `{fact.name}` | {saves} | {changes} |"


def _own(case: Case) -> dict[str, bool]:
    return {"": True} if case.frees else {}


def _listed(cases: list[dict[str, bool]], words: dict[str, str]) -> str:
    """What several cases name, that of some alone as such."""
    found = dict.fromkeys(what for case in cases for what in case)
    told = []
    for what in found:
        result = what == "out" or (what.startswith("out") and what[3:].isdigit())
        word = words["own"] if not what else f"{words['result']} {what[3:]}".strip() if result else f"`{what}`"
        told.append(word if all(case.get(what) for case in cases) else words["some"].format(what=word))
    return ", ".join(told)
