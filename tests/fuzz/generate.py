"""Draws closed programs: `draw(seed).text` is a program's text, the same for the same seed; `.failed` is the kind of
the failure that PyTorch announced when it was tried, None if it ran (what changes silently is not seen here: ask
`tests.oracle.run_program`).

A program grows statement by statement, and each statement is tried: the program so far is run on torch with a look
at the names that are in scope where the next statement goes. So shapes and dtypes need no model of their own, a
statement that makes no sense is thrown away at once, and one that autograd refuses ends the program. About half of
the programs fail, most of them in `backward()`.

The operators are those of the measured table (`recipes.py`); the statements around them are the methods of `Grower`
that `DRAWS` lists with their weights. Hypothesis is not used: its choices are not tied to a run of what was chosen
so far, and what it shrinks is the sequence of choices, while a program is best made smaller as a program
(`shrink.py`).
"""

from __future__ import annotations

import contextlib
import io
import random
import re
import signal
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from ..oracle import KINDS
from . import recipes

if TYPE_CHECKING:
    from .recipes import Recipe, Slot

LONGEST = 14
"""statements that a program's own level has, at most"""
TRIES = 4
"""how often another statement is drawn where one makes no sense"""
LONGEST_RUN = 1.0
"""seconds of CPU that a program may take"""
LARGE = 4_000
"""elements of a tensor that nothing more is done with"""

IMPORTS = "import copy\n\nimport numpy as np\nimport torch\nimport torch.nn.functional as F\nfrom torch import nn\n\n"


@dataclass(slots=True)
class Block:
    """A compound statement: its first line and its body."""

    head: str
    body: list[Statement]
    grows: int = 0
    """how many statements its body is to have"""


@dataclass(frozen=True, slots=True)
class Look:
    """A place in the program whose names are wanted."""

    number: int


Statement = str | Block | Look


@dataclass(frozen=True, slots=True)
class Program:
    """A program, what PyTorch announced when it was tried, and the names of the vocabulary that it was drawn from."""

    text: str
    failed: str | None
    used: frozenset[str]


def draw(seed: object) -> Program:
    """The program that belongs to a seed."""
    torch.set_num_threads(1)
    return Grower(random.Random(str(seed))).program()


def render(body: list[Statement], indent: str = "") -> str:
    """The text of statements; a `Look` becomes a call of `__look__`."""
    lines = []
    for statement in body:
        if isinstance(statement, Block):
            *decorators, head = statement.head.splitlines()
            lines += [indent + line for line in (*decorators, f"{head}:")]
            lines.append(render(statement.body, indent + "    ") or f"{indent}    pass")
        elif isinstance(statement, Look):
            lines.append(f"{indent}__look__({statement.number}, locals())")
        else:
            lines += [f"{indent}{line}" for line in statement.splitlines()]
    return "\n".join(lines)


@dataclass(slots=True)
class Scope:
    """What may be named at a place of the program."""

    tensors: list[tuple[str, torch.Tensor]] = field(default_factory=list)
    modules: list[tuple[str, torch.nn.Module]] = field(default_factory=list)
    lists: list[tuple[str, list[Any] | tuple[Any, ...]]] = field(default_factory=list)
    dicts: list[tuple[str, dict[Any, Any]]] = field(default_factory=list)
    optimizers: list[str] = field(default_factory=list)
    functions: list[tuple[str, int]] = field(default_factory=list)
    numbers: list[str] = field(default_factory=list)
    arrays: list[str] = field(default_factory=list)


def scope_of(names: dict[str, Any]) -> Scope:
    """Sort what is in scope by what it is."""
    scope = Scope()
    for name, value in names.items():
        if not name.startswith("_") and name not in ("torch", "np", "F", "nn", "copy"):
            _sort(scope, name, value)
    return scope


def _sort(scope: Scope, text: str, value: Any) -> None:
    if isinstance(value, torch.Tensor):
        if value.numel() <= LARGE and value.layout == torch.strided:
            scope.tensors.append((text, value))
    elif isinstance(value, torch.nn.Module):
        scope.modules.append((text, value))
        own = {**value._parameters, **value._buffers}
        for name, tensor in own.items():
            if tensor is not None and text == "self":
                _sort(scope, f"{text}.{name}", tensor)
        for name, module in value._modules.items():
            if text == "self" and module is not None:
                _sort(scope, f"{text}.{name}", module)
        if text == "self":
            for name, other in vars(value).items():
                if isinstance(other, (torch.Tensor, list)) and not name.startswith("_"):
                    _sort(scope, f"self.{name}", other)
    elif isinstance(value, torch.optim.Optimizer):
        scope.optimizers.append(text)
    elif isinstance(value, (list, tuple)) and not isinstance(value, torch.Size):
        scope.lists.append((text, value))
        for i, item in enumerate(value[:2]):
            if isinstance(item, torch.Tensor):
                _sort(scope, f"{text}[{i}]", item)
    elif isinstance(value, dict):
        scope.dicts.append((text, value))
        for key, item in value.items():
            if isinstance(item, torch.Tensor) and isinstance(key, str):
                _sort(scope, f'{text}["{key}"]', item)
    elif isinstance(value, np.ndarray):
        scope.arrays.append(text)
    elif isinstance(value, (bool, int, float)):
        scope.numbers.append(text)
    elif callable(value) and text.startswith("f") and hasattr(value, "__code__"):
        scope.functions.append((text, value.__code__.co_argcount))


@dataclass(frozen=True, slots=True)
class Tried:
    """What a run showed: the names at the last look, and the kind of failure (`other`: it makes no sense)."""

    names: dict[int, dict[str, Any]]
    failed: str | None
    message: str = ""


def attempt(body: list[Statement]) -> Tried:
    """Run a program and tell what was in scope at its looks."""
    return attempt_text(IMPORTS + render(body))


def attempt_text(text: str) -> Tried:
    """Run a program's text, which may call `__look__`."""
    seen: dict[int, dict[str, Any]] = {}

    def look(number: int, names: dict[str, Any]) -> None:
        seen[number] = dict(names)

    namespace: dict[str, Any] = {"__name__": "__main__", "__look__": look}
    torch.manual_seed(0)
    torch.set_grad_enabled(True)
    failed, message = None, ""
    signal.signal(signal.SIGPROF, _too_long)
    signal.setitimer(signal.ITIMER_PROF, LONGEST_RUN)
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            exec(compile(text, "<drawn>", "exec"), namespace)
    except Exception as error:
        message = f"{type(error).__name__}: {error}"
        failed = next((kind for kind, pattern in KINDS.items() if re.search(pattern, message)), "other")
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        torch.set_grad_enabled(True)
        torch.set_default_dtype(torch.float32)
    shared = {k: v for k, v in namespace.items() if not k.startswith("__")}
    return Tried({number: shared | names for number, names in seen.items()}, failed, message)


Drawn = str | list[Any] | None


def _too_long(*_: object) -> None:
    raise TimeoutError


class Grower:
    """Grows one program."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.body: list[Statement] = []
        self.counts: dict[str, int] = {}
        self.looks = 0
        self.failed: str | None = None
        self.scope = Scope()
        self.names: dict[int, dict[str, Any]] = {}
        self.used: set[str] = set()
        self.around: list[str] = []
        """the heads of the blocks around the place that grows"""

    # -- growing --

    def program(self) -> Program:
        """Grow a program to its end."""
        self.grow(self.body, self.chance.randint(5, LONGEST), [start])
        if not self.failed and self.likely(0.5):
            self.grow(self.body, 1, [self.chance.choice((change, augmented, assigned))])
        if not self.failed:
            self.grow(self.body, 1, [closing])
        return Program(f"{IMPORTS}{render(self.body)}\n", self.failed, frozenset(self.used))

    def grow(self, body: list[Statement], count: int, draws: list[Draw] | None = None) -> None:
        """Add statements to a body that is part of the program, before its `return`."""
        self.looks += 1
        look = Look(self.looks)
        tail = next((i for i, s in enumerate(body) if isinstance(s, str) and s.startswith(LAST)), len(body))
        body.insert(tail, look)
        self.names = attempt(self.body).names
        for i in range(count):
            for _ in range(TRIES):
                if look.number not in self.names or self.failed:
                    break
                draw = draws[i] if draws and i < len(draws) else self.chance.choices(*CHOICES)[0]
                if self.extend(body, look, draw):
                    break
        body.remove(look)

    def extend(self, body: list[Statement], look: Look, draw: Draw) -> bool:
        """Try what is drawn at the place of the look, and fill its blocks. False if it makes no sense."""
        self.scope = scope_of(self.names[look.number])
        counts = dict(self.counts)
        drawn = draw(self)
        new = [drawn] if isinstance(drawn, (str, Block)) else drawn
        if not new or not self.insert(body, body.index(look), new):
            self.counts = counts
            return False
        self.fill(new)
        return True

    def fill(self, new: list[Statement]) -> None:
        """Let the blocks grow that are to have more than they were made with."""
        for statement in new:
            if isinstance(statement, Block) and not self.failed:
                self.around.append(statement.head)
                self.fill(statement.body)
                if statement.grows:
                    self.grow(statement.body, statement.grows)
                    self.give_back(statement.body)
                if len(statement.body) > 1 and statement.body[0] == "pass":
                    del statement.body[0]
                self.around.pop()

    def insert(self, body: list[Statement], at: int, new: list[Statement]) -> bool:
        """Put statements at a place, unless that makes no sense."""
        before = list(body)
        body[at:at] = new
        tried = attempt(self.body)
        if tried.failed is not None and self.chance.random() >= ENDS.get(tried.failed, 1.0):
            body[:] = before
            return False
        self.names, self.failed = tried.names, tried.failed
        return True

    def give_back(self, body: list[Statement]) -> None:
        """Let a function return what its body made."""
        if self.failed or not body or not isinstance(body[-1], str) or not body[-1].startswith("return "):
            return
        made = [n for s in body[:-1] if isinstance(s, str) for n in re.findall(r"^([a-z]+\d+) =", s)]
        if made:
            before = body[-1]
            body[-1] = f"return {self.chance.choice(made)}"
            tried = attempt(self.body)
            if tried.failed is not None:
                body[-1] = before
            else:
                self.names = tried.names

    # -- choosing --

    def name(self, prefix: str) -> str:
        """A name that nothing has yet."""
        self.counts[prefix] = self.counts.get(prefix, 0) + 1
        return f"{prefix}{self.counts[prefix]}"

    def result(self) -> str:
        """A name for a result: a new one, now and then one that stood for something else."""
        known = [text for text, _ in self.scope.tensors if text.isidentifier()]
        return self.chance.choice(known) if known and self.chance.random() < 0.12 else self.name("x")

    def likely(self, probability: float) -> bool:
        return self.chance.random() < probability

    def target(self, *fits: Callable[[torch.Tensor], bool]) -> tuple[str, torch.Tensor] | None:
        """A tensor to change: most often one that may be changed and is a part of the graph."""
        made = self.pick(*fits, with_grad, inner) if self.likely(0.7) else None
        return made or (self.pick(*fits, inner) if self.likely(0.9) else self.pick(*fits))

    def pick(self, *fits: Callable[[torch.Tensor], bool]) -> tuple[str, torch.Tensor] | None:
        """A tensor in scope that fits, the later ones more often."""
        known = [(text, t) for text, t in self.scope.tensors if all(fit(t) for fit in fits)]
        if not known:
            return None
        return known[-1 - int(len(known) * self.chance.random() ** 2)]

    def operand(self, slot: Slot, before: list[Any], strict: bool) -> str:
        """An expression for a tensor: one in scope, or one made for it by statements in `before`."""
        fits: list[Callable[[torch.Tensor], bool]] = [lambda t: t.dtype == slot.dtype]
        fits += [lambda t: t.shape == slot.shape] if strict else []
        known = self.pick(*fits) if self.likely(0.85) else None
        if known:
            return known[0]
        if not slot.dtype.is_floating_point and not slot.dtype.is_complex and self.likely(0.3):
            return slot.text
        name = self.name("x")
        grad = slot.dtype.is_floating_point and self.likely(0.6)
        before.append(f"{name} = {slot.text[:-1]}, requires_grad=True)" if grad else f"{name} = {slot.text}")
        if grad and self.likely(0.5):
            leaf, name = name, self.name("x")
            before.append(f"{name} = {leaf}{self.chance.choice([' * 2', ' + 1', '.clone()', '.sin()', '.exp()'])}")
        return name

    def index(self, tensor: torch.Tensor) -> str:
        """An index that a tensor of this shape takes."""
        if not tensor.ndim:
            return "..."
        size = tensor.shape[0]
        texts = ["0", "-1", "1:", ":1", "...", "..., 0", ":", "::2", "[0]", f"[{size - 1}, 0]", "torch.tensor([0])"]
        texts += [":, 0", "0, 0", ":, 1:", ":, [0]", "None, 0", "0:1, :1"] if tensor.ndim > 1 else ["None"]
        same = self.pick(lambda t: t.dtype == torch.bool and t.shape == tensor.shape)
        if same:
            texts += [same[0]] * 4
        whole = self.pick(lambda t: t.dtype == torch.int64 and t.ndim < 2 and t.numel() < 9)
        if whole:
            texts += [whole[0]] * 3
        return self.chance.choice(texts)

    def value(self, like: torch.Tensor, floats: bool = True) -> str:
        """An expression that broadcasts to a tensor: a number or another one."""
        other = self.pick(
            lambda t: t.dtype == like.dtype and (t.shape == like.shape or t.ndim == 0 or t.shape == like.shape[1:])
        )
        if other and self.likely(0.7):
            return self.chance.choice(["{}", "{}", "{}", "{} * 2", "{}.detach()", "{}.sin()"]).format(other[0])
        return self.chance.choice(["1.5", "0.5", "2"] if like.dtype.is_floating_point else ["1", "2"])


def with_grad(tensor: torch.Tensor) -> bool:
    return tensor.requires_grad


def inner(tensor: torch.Tensor) -> bool:
    return not (is_leaf(tensor) and tensor.requires_grad)


def is_leaf(tensor: torch.Tensor) -> bool:
    """Whether it is a leaf; a view that may not be used any more, which raises when asked, is none."""
    with contextlib.suppress(RuntimeError):
        return tensor.is_leaf
    return False


def floating(tensor: torch.Tensor) -> bool:
    return tensor.dtype.is_floating_point


Draw = Callable[[Grower], Drawn]


# -- tensors --------------------------------------------------------------------------------------

SHAPES = ("3", "2, 3", "3, 3", "2, 2, 3", "4", "()", "5, 5", "1, 3", "4, 2")


def start(g: Grower) -> Drawn:
    shape = g.chance.choice(SHAPES)
    return [f"{g.name('x')} = torch.rand({shape}, requires_grad=True)", f"{g.name('x')} = torch.rand({shape})"]


def leaf(g: Grower) -> Drawn:
    known = g.pick()
    size = ", ".join(map(str, known[1].shape)) or "()" if known and g.likely(0.7) else g.chance.choice(SHAPES)
    form = g.chance.choice(
        (
            *["torch.rand({}, requires_grad=True)"] * 5,
            *["torch.rand({})"] * 2,
            "torch.zeros({})",
            "torch.ones({}, requires_grad=True)",
            "nn.Parameter(torch.rand({}))",
            "torch.rand({}).requires_grad_()",
            "torch.rand({}, dtype=torch.float64, requires_grad=True)",
            "torch.rand({}) > 0.5",
            "torch.zeros({}, dtype=torch.int64)",
            "torch.tensor([0.5, 1.5, 2.5], requires_grad=True)",
            "torch.arange(3)",
            "torch.arange(3.0)",
        )
    )
    return f"{g.name('x')} = {form.format(size)}"


def operation(g: Grower) -> Drawn:
    return called(g, g.chance.choice(_named("plain")))


def view(g: Grower) -> Drawn:
    if g.likely(0.45) and (known := g.pick()):
        return f"{g.result()} = {known[0]}[{g.index(known[1])}]"
    return called(g, g.chance.choice(_named("view")))


def change(g: Grower) -> Drawn:
    return called(g, g.chance.choice(_named("inplace")))


def called(g: Grower, name: str) -> Drawn:
    """A call of the vocabulary, with operands from the scope where they fit."""
    recipe: Recipe = g.chance.choice(recipes.calls()[name])
    g.used.add(name)
    before: list[Any] = []
    strict = g.likely(0.5)
    chosen: list[str] = []

    def tensor(slot: Slot) -> str:
        if recipe.kind == "inplace" and not chosen and g.likely(0.8):
            alike = [lambda t: t.dtype == slot.dtype, lambda t: not strict or t.shape == slot.shape]
            target = g.target(*alike)
            if target:
                chosen.append(target[0])
                return target[0]
        chosen.append(g.operand(slot, before, strict))
        return chosen[-1]

    texts = [recipes.spell(argument, tensor) for argument in recipe.arguments]
    if "[{}]" in recipe.template:
        texts[1] = re.sub(r"^\((.*?),?\)$", r"\1", texts[1]) or "()"
    text = recipe.template.format(*texts)
    if recipe.flags and text.endswith(")") and g.likely(0.25):
        text = f"{text[:-1]}, {g.chance.choice(recipe.flags)})"
    if recipe.accepts_out and g.likely(0.05) and (known := g.pick(floating)):
        text = f"{text[:-1]}, out={known[0]})"
    if "= {}" in recipe.template or (recipe.kind == "inplace" and g.likely(0.7)):
        return [*before, text]
    return [*before, f"{g.result()} = {text.removeprefix('(').removesuffix(')') if text[0] == '(' else text}"]


def augmented(g: Grower) -> Drawn:
    known = g.target()
    if known is None:
        return None
    target, tensor = known
    if g.likely(0.35):
        index = g.index(tensor)
        try:
            tensor = eval(f"tensor[{index}]", {"tensor": tensor.detach(), **dict(g.scope.tensors), "torch": torch})
        except Exception:
            return None
        target = f"{target}[{index}]"
    operator = g.chance.choice(("+", "+", "*", "*", "-", "/", "**", "//", "%"))
    return f"{target} {operator}= {g.value(tensor)}"


def assigned(g: Grower) -> Drawn:
    known = g.target()
    if known is None:
        return None
    return f"{known[0]}[{g.index(known[1])}] = {g.value(known[1])}"


def unpacked(g: Grower) -> Drawn:
    known = g.pick(lambda t: t.ndim > 0 and 1 < t.shape[0] < 5)
    if known is None:
        return None
    names = ", ".join(g.name("x") for _ in range(known[1].shape[0]))
    form = g.chance.choice(("{}", "{}.unbind()", "{}.chunk({n})", "{}.split(1)", "{}.unbind(0)"))
    return f"{names} = {form.format(known[0], n=known[1].shape[0])}"


def alias(g: Grower) -> Drawn:
    known = g.pick()
    if known is None:
        return None
    forms = ["{}", "{}.detach()", "{}.data", "{}.clone()", "copy.copy({})", "copy.deepcopy({})", "{}.detach().clone()"]
    forms += ["{}.requires_grad_()", "{}.contiguous()", "{}.expand(2, *{}.shape)", "{}.float()", "{}.double()"]
    return f"{g.result()} = {g.chance.choice(forms).replace('{}', known[0])}"


def bridge(g: Grower) -> Drawn:
    if g.scope.arrays and g.likely(0.6):
        array = g.chance.choice(g.scope.arrays)
        return g.chance.choice((f"{array} += 1", f"{array}[0] = 2", f"{g.name('x')} = torch.from_numpy({array})"))
    known = g.pick()
    return known and f"{g.name('a')} = {known[0]}.{g.chance.choice(('numpy()', 'detach().numpy()', 'data.numpy()'))}"


def silent(g: Grower) -> Drawn:
    known = g.pick(floating)
    forms = ("{}.data.mul_(2)", "{}.data += 1", "{}.data[0] = 3", "{}.data = {}.data + 1", "{}.detach().add_(1)")
    return known and g.chance.choice(forms).replace("{}", known[0])


def setting(g: Grower) -> Drawn:
    known = g.pick()
    forms = (
        "{}.requires_grad_(False)",
        "{}.detach_()",
        "{}.retain_grad()",
        "{}.requires_grad = True",
        "{}.grad = None",
    )
    return known and g.chance.choice(forms).format(known[0])


# -- gradients ------------------------------------------------------------------------------------


def loss(g: Grower) -> str | None:
    """An expression of a number that depends on some of the tensors."""
    reachable = [(text, t) for text, t in g.scope.tensors if t.requires_grad and not is_leaf(t)]
    reachable = reachable or [(text, t) for text, t in g.scope.tensors if t.requires_grad]
    if not reachable:
        return None
    chosen = {reachable[-1], *g.chance.sample(reachable, min(len(reachable), g.chance.randint(1, 6)))}
    terms = []
    for text, tensor in sorted(chosen, key=reachable.index):
        form = "{}.abs().sum()" if tensor.is_complex() else g.chance.choice(("{}.sum()", "{}.sum()", "{}.mean()"))
        terms.append(form.format(text))
    return " + ".join(terms)


def closing(g: Grower) -> Drawn:
    total = loss(g)
    if total is None:
        return None
    end = [f"loss = {total}", "loss.backward()"] if g.likely(0.5) else [f"({total}).backward()"]
    if g.scope.optimizers and g.likely(0.5):
        end.append(f"{g.scope.optimizers[-1]}.step()")
    return end


def backward(g: Grower) -> Drawn:
    total = loss(g)
    options = g.chance.choice(("", "retain_graph=True", "retain_graph=True", "create_graph=True"))
    return total and f"({total}).backward({options})"


def gradient(g: Grower) -> Drawn:
    known, total = g.pick(with_grad), loss(g)
    if known is None or total is None:
        return None
    options = g.chance.choice(
        (", allow_unused=True", ", retain_graph=True", ", create_graph=True", ", materialize_grads=True")
    )
    name = g.name("x")
    target = f"{name}, = " if g.likely(0.5) else f"{name} = "
    return f"{target}torch.autograd.grad({total}, {known[0]}{options}){'' if ', =' in target else '[0]'}"


def hook(g: Grower) -> Drawn:
    known = g.pick(with_grad)
    forms = ("{}.register_hook(lambda grad: grad * 2)", "{}.register_hook(lambda grad: grad.mul_(2))")
    return known and g.chance.choice(forms).format(known[0])


def function_class(g: Grower) -> Drawn:
    known = g.pick(with_grad, floating)
    if known is None:
        return None
    name = g.name("Op")
    saved, work, back = g.chance.choice(
        (
            ("a", "b = a * 2", "saved * grad"),
            ("b", "b = a.exp()", "saved * grad"),
            ("a, b", "b = a.clone()", "saved * grad"),
            ("a", "b = a.clone()\n        b.mul_(3)", "saved * grad"),
            ("b", "b = a.sin_()\n        ctx.mark_dirty(a)", "saved * grad"),
            ("a", "b = a.sin()\n        a.add_(1)", "grad"),
        )
    )
    first = "saved, *_ = ctx.saved_tensors"
    lines = ["@staticmethod", "def forward(ctx, a):", f"    {work.replace(chr(10) + '    ', chr(10))}"]
    lines += [f"    ctx.save_for_backward({saved})", "    return b", "@staticmethod", "def backward(ctx, grad):"]
    lines += [f"    {first}", f"    return {back}"]
    return [
        Block(f"class {name}(torch.autograd.Function)", ["\n".join(lines)]),
        f"{g.name('x')} = {name}.apply({known[0]})",
    ]


# -- modules --------------------------------------------------------------------------------------


def module(g: Grower) -> Drawn:
    if g.scope.modules and g.likely(0.4):
        name, _ = g.chance.choice(g.scope.modules)
        known = g.pick(floating)
        return known and f"{g.result()} = {name}({known[0]})"
    recipe = g.chance.choice(recipes.modules()[g.chance.choice(_classes())])
    g.used.add(recipe.name)
    before: list[Any] = []
    strict = g.likely(0.6)
    given = [recipes.spell(argument, lambda slot: g.operand(slot, before, strict)) for argument in recipe.arguments]
    name = g.name("m")
    made = recipe.construct
    if recipe.inplace and g.likely(0.5):
        made = f"{made[:-1]}{', ' * (not made.endswith('('))}inplace=True)"
    return [*before, f"{name} = {made}", f"{g.result()} = {name}({recipe.call.format(*given)})"]


ACTIVATIONS = ("nn.ReLU()", "nn.ReLU(inplace=True)", "nn.Sigmoid()", "nn.Tanh()", "nn.Dropout(0.5, inplace=True)")
ACTIVATIONS += (
    "nn.ELU(inplace=True)",
    "nn.SiLU(inplace=True)",
    "nn.LeakyReLU(inplace=True)",
    "nn.Hardtanh(inplace=True)",
)


def sequential(g: Grower) -> Drawn:
    known = g.pick(lambda t: t.dtype == torch.float32 and t.ndim == 2)
    if known is None:
        return None
    size, layers = known[1].shape[1], []
    for _ in range(g.chance.randint(1, 3)):
        layers += [f"nn.Linear({size}, {size})"] if g.likely(0.6) else [f"nn.BatchNorm1d({size})"]
        layers += [g.chance.choice(ACTIVATIONS)] if g.likely(0.8) else []
    name = g.name("m")
    return [f"{name} = nn.Sequential({', '.join(layers)})", f"{g.result()} = {name}({known[0]})"]


def own_module(g: Grower) -> Drawn:
    known = g.pick(lambda t: t.dtype == torch.float32 and t.ndim > 0 and 0 < t.shape[-1] < 21)
    if known is None:
        return None
    cls, name, size = g.name("Net"), g.name("m"), known[1].shape[-1]
    attributes = ["super().__init__()"]
    attributes += [f"self.layer = nn.Linear({size}, {size})"] if g.likely(0.7) else []
    attributes += [f"self.act = {g.chance.choice(ACTIVATIONS)}"] if g.likely(0.5) else []
    attributes += [f"self.weight = nn.Parameter(torch.rand({size}))"] if g.likely(0.5) else []
    attributes += [f'self.register_buffer("buffer", torch.zeros({size}))'] if g.likely(0.4) else []
    attributes += ["self.seen = []"] if g.likely(0.2) else []
    first = "x0 = self.layer(a)" if "self.layer" in str(attributes) else "x0 = a * 2"
    forward = Block("def forward(self, a)", [first, "return x0"], g.chance.randint(1, 4))
    whole = Block(f"class {cls}(nn.Module)", [Block("def __init__(self)", [*attributes]), forward])
    calls = [f"{g.name('x')} = {name}({known[0]})" for _ in range(g.chance.choice((1, 1, 2)))]
    return [whole, f"{name} = {cls}()", *calls]


OPTIMIZERS = ("SGD({}, lr=0.1)", "SGD({}, lr=0.1, momentum=0.9)", "Adam({})", "AdamW({})", "RMSprop({})", "Adagrad({})")
OPTIMIZERS += ("NAdam({})", "Adamax({})", "RAdam({})", "Adadelta({})", "Rprop({})", "ASGD({})", "Adam({}, fused=True)")


def optimizer(g: Grower) -> Drawn:
    if g.scope.optimizers:
        name = g.chance.choice(g.scope.optimizers)
        return g.chance.choice((f"{name}.step()", f"{name}.step()", f"{name}.zero_grad()"))
    name, made = g.name("opt"), g.chance.choice(OPTIMIZERS)
    modules = [text for text, m in g.scope.modules if any(p.requires_grad for p in m.parameters())]
    if modules and g.likely(0.6):
        return f"{name} = torch.optim.{made.format(g.chance.choice(modules) + '.parameters()')}"
    known = g.pick(floating, lambda t: is_leaf(t) and t.requires_grad)
    return known and f"{name} = torch.optim.{made.format(f'[{known[0]}]')}"


def updated(g: Grower) -> Drawn:
    known = g.pick(floating, lambda t: is_leaf(t) and t.requires_grad)
    forms = ("{}.add_(0.1)", "{} -= 0.1", "{}.mul_(0.9)", "{}.copy_({} * 2)", "nn.init.zeros_({})", "{}[0] = 0")
    return known and [Block("with torch.no_grad()", [g.chance.choice(forms).replace("{}", known[0])])]


def training(g: Grower) -> Drawn:
    modules = [text for text, m in g.scope.modules if any(p.requires_grad for p in m.parameters())]
    known = g.pick(floating)
    if not modules or known is None:
        return None
    name, opt, out = g.chance.choice(modules), g.name("opt"), g.name("x")
    steps: list[Any] = [f"{opt}.zero_grad()", f"{out} = {name}({known[0]})", f"{out}.sum().backward()", f"{opt}.step()"]
    if g.likely(0.3):
        g.chance.shuffle(steps)
    made = f"{opt} = torch.optim.{g.chance.choice(OPTIMIZERS).format(name + '.parameters()')}"
    return [made, Block(f"for {g.name('i')} in range(2)", steps, 1 if g.likely(0.5) else 0)]


def module_setting(g: Grower) -> Drawn:
    if not g.scope.modules:
        return None
    name, _ = g.chance.choice(g.scope.modules)
    forms = ("{}.eval()", "{}.train()", "{}.zero_grad()", "{}.requires_grad_(False)", "{}.double()", "{}.float()")
    forms += ("{0}.load_state_dict({0}.state_dict())", "torch.nn.utils.clip_grad_norm_({}.parameters(), 1.0)")
    forms += ("{}.register_forward_hook(lambda module, given, made: made.mul_(2))",)
    forms += ("{}.register_forward_pre_hook(lambda module, given: (given[0] * 2,))",)
    return g.chance.choice(forms).format(name)


# -- Python ---------------------------------------------------------------------------------------

MODES = ("no_grad()", "no_grad()", "enable_grad()", "set_grad_enabled(False)", "set_grad_enabled(True)")
MODES += ("inference_mode()", "autograd.set_grad_enabled(False)", "autograd.graph.save_on_cpu()")


def mode(g: Grower) -> Drawn:
    return [Block(f"with torch.{g.chance.choice(MODES)}", ["pass"], g.chance.randint(1, 3))]


def branch(g: Grower) -> Drawn:
    known = g.pick()
    tests = ["True", "False", *(f"{number} > 0" for number in g.scope.numbers)]
    tests += [f"{text} is not None" for text, _ in g.scope.tensors[-1:]]
    if known:
        tests += [f"{known[0]}.requires_grad", f"{known[0]}.ndim > 1", f"{known[0]}.is_leaf"]
    tests += [f"len({text}) > 1" for text, _ in g.scope.lists]
    return [Block(f"if {g.chance.choice(tests)}", ["pass"], g.chance.randint(1, 2))]


def loop(g: Grower) -> Drawn:
    if len(g.around) >= 2:
        return None
    heads = [f"for {g.name('i')} in range({g.chance.randint(1, 3)})"] * 3
    heads += [f"for {g.name('x')} in {text}" for text, _ in g.scope.lists]
    known = g.pick(lambda t: t.ndim > 0 and 0 < t.shape[0] < 5)
    if known:
        heads += [f"for {g.name('x')} in {known[0]}", f"for {g.name('i')}, {g.name('x')} in enumerate({known[0]})"]
    return [Block(g.chance.choice(heads), ["pass"], g.chance.randint(1, 4))]


def while_loop(g: Grower) -> Drawn:
    if len(g.around) >= 2:
        return None
    name = g.name("n")
    return [f"{name} = 0", Block(f"while {name} < {g.chance.randint(1, 3)}", [f"{name} += 1"], g.chance.randint(1, 3))]


def carried(g: Grower) -> Drawn:
    known = g.pick(floating)
    if known is None or len(g.around) >= 2:
        return None
    state = g.name("x")
    step = f"{state} = {g.chance.choice(('{} * 0.5', '{}.tanh()', '{} + 1', '{} * {}')).replace('{}', state)}"
    block = Block(f"for {g.name('i')} in range({g.chance.randint(2, 3)})", [step], g.chance.randint(1, 3))
    return [f"{state} = {known[0]}{g.chance.choice(('', '.clone()', ' * 1', '.detach()'))}", block]


DECORATORS = ("", "", "", "", "@torch.no_grad()\n", "@torch.enable_grad()\n")


def function(g: Grower) -> Drawn:
    known = [g.pick(), g.pick()]
    if None in known or len(g.around) >= 2:
        return None
    count = g.chance.randint(1, 2)
    name, params = g.name("f"), [g.name("p") for _ in range(count)]
    given = [text for text, _ in known[:count]]  # type: ignore[misc]
    if count == 2 and g.likely(0.3):
        given[1] = given[0]
    head = f"{g.chance.choice(DECORATORS)}def {name}({', '.join(params)})"
    return [
        Block(head, [f"return {g.chance.choice(params)}"], g.chance.randint(1, 4)),
        f"{g.name('x')} = {name}({', '.join(given)})",
    ]


def call_again(g: Grower) -> Drawn:
    if not g.scope.functions:
        return None
    name, count = g.chance.choice(g.scope.functions)
    given = [known[0] for _ in range(count) if (known := g.pick())]
    return f"{g.result()} = {name}({', '.join(given)})"


def closure(g: Grower) -> Drawn:
    known = g.pick(floating)
    if known is None or len(g.around) >= 1:
        return None
    name = g.name("f")
    change = g.chance.choice(("{}.mul_(2)", "{} * 2", "{}.exp()", "{}.add_(1)")).format(known[0])
    made = g.name("x")
    return [
        f"def {name}():\n    {made} = {change}\n    return {made}",
        f"{g.name('x')} = {name}()",
        *([f"{g.name('x')} = {name}()"] if g.likely(0.4) else []),
    ]


def container(g: Grower) -> Drawn:
    if g.scope.lists and g.likely(0.5):
        text, value = g.chance.choice(g.scope.lists)
        known = g.pick()
        if isinstance(value, list) and known:
            forms = (f"{text}.append({known[0]})", f"{g.name('x')} = {text}.pop()", f"{text}[0] = {known[0]}")
            forms += (f"{g.name('x')} = sum({text})", f"{text} += [{known[0]}]", f"{g.name('x')} = torch.stack({text})")
            return g.chance.choice(forms)
        return f"{g.result()} = {text}[{g.chance.choice((0, -1))}]"
    first, second = g.pick(), g.pick()
    if first is None or second is None:
        return None
    forms = (
        "[{}, {}]",
        "({}, {})",
        '{{"a": {}, "b": {}}}',
        "[{}, {} * 2]",
        "[t * 2 for t in ({}, {})]",
        "[{}.clone(), {}]",
    )
    name = g.name("c")
    return f"{name} = {g.chance.choice(forms).format(first[0], second[0])}"


def foreach(g: Grower) -> Drawn:
    if not g.scope.lists:
        return None
    text, _ = g.chance.choice(g.scope.lists)
    forms = (
        "for t in {}:\n    t.mul_(2)",
        "{n} = [t.exp() for t in {}]",
        "{n} = [t.add_(1) for t in {}]",
        "{n} = tuple({})",
    )
    forms += (
        "torch._foreach_mul_({}, 2)",
        "{n} = torch._foreach_exp({})",
        "{n} = torch.cat([t.reshape(-1) for t in {}])",
    )
    return g.chance.choice(forms).format(text, n=g.name("c"))


def checkpoint(g: Grower) -> Drawn:
    known = g.pick(with_grad, floating)
    body = g.chance.choice(("t.exp()", "t.sin().exp()", "t * t", "t.clone().mul_(2).exp()"))
    reentrant = g.chance.choice(("True", "False"))
    return known and (
        f"{g.name('x')} = torch.utils.checkpoint.checkpoint(lambda t: {body}, {known[0]}, use_reentrant={reentrant})"
    )


def skipped(g: Grower) -> Drawn:
    if not any(head.startswith(("for", "while")) for head in g.around[-1:]) or not g.scope.numbers:
        return None
    number = g.scope.numbers[-1]
    return f"if {number} == 1:\n    {g.chance.choice(('break', 'continue'))}"


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
CHOICES = (list(DRAWS), list(DRAWS.values()))
LAST = ("return",)

ENDS = {
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


@cache
def _named(kind: str) -> list[str]:
    """The callables of a kind."""
    return [name for name, found in recipes.calls().items() if found[0].kind == kind]


@cache
def _classes() -> list[str]:
    return list(recipes.modules())
