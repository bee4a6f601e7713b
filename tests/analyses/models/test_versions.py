"""Questions about PyTorch's version have the answer that they have in a program."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
import torch
from gradguard.analyses.libraries.polyfills import packaging
from gradguard.analyses.libraries.polyfills.packaging import version as polyfill
from gradguard.analyses.libraries.torch.version import TorchVersion
from packaging.version import parse
from torch.torch_version import TorchVersion as Real

from ..replaying import replayed

VERSIONS = ("1.5.0", "1.13.1", "2", "2.0", "2.0.0", "2.4", "2.13.0", "10.1")
COMPARED = ("<", "<=", ">", ">=", "==")

ASKED = {
    "as a text": "torch.__version__ >= '1.5.0'",
    "newer than it looks": "torch.__version__ < '2.4'",
    "by its numbers": "tuple(int(n) for n in torch.__version__.split('+')[0].split('.')[:2]) >= (1, 9)",
    "its first number": "int(torch.__version__[0]) > 1",
    "parsed": "version.parse(torch.__version__) >= version.parse('2.0')",
    "parsed, older": "version.parse(torch.__version__) < version.parse('1.13.1')",
    "its major number": "version.Version(torch.__version__.split('+')[0]).major == 2",
}


@pytest.mark.parametrize("name", ASKED)
def test_a_question_has_its_answer(name: str) -> None:
    text = f"import torch\nfrom packaging import version\nanswer = {ASKED[name]}\n"
    scope: dict[str, Any] = {}
    exec(text, scope)
    assert replayed(text).names["answer"] is scope["answer"]


@pytest.mark.parametrize(("one", "other"), list(product(VERSIONS, repeat=2)))
def test_versions_compare_like_torchs_and_packagings(one: str, other: str) -> None:
    scope = {"T": TorchVersion, "R": Real, "p": polyfill.parse, "q": parse, "one": one, "other": other}
    for op in COMPARED:
        assert eval(f"(T(one) {op} other) is (R(one) {op} other)", scope), op
        assert eval(f"(p(one) {op} p(other)) is (q(one) {op} q(other))", scope), op


def test_the_release_is_the_one_whose_facts_hold() -> None:
    run = replayed("import torch\nnow = torch.__version__\n")
    assert run.names["now"].split(".")[:2] == torch.__version__.split(".")[:2]
    assert packaging.__doc__
