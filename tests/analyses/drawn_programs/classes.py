"""Classes, plain or made by the standard library, and what becomes of their objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .writer import Writer


def class_(w: Writer, depth: int) -> list[str]:
    return w.dice.choice(CLASSES)(w)


def plain_class(w: Writer) -> list[str]:
    c, d, o, out = w.fresh("C"), w.fresh("D"), w.fresh("o"), w.new("list")
    lines = [f"class {c}:", "    shared = []", f"    level = {w.literal('int')}", "    def __init__(self, v, w=2):",
             "        self.v, self.w = v, w", "        self.shared.append(v)", "    def total(self):", "        return self.v + self.w + self.level",
             "    @property", "    def double(self):", "        return self.v * 2", "    @double.setter", "    def double(self, x):",
             "        self.v = x // 2", "    @classmethod", "    def make(cls, n):", "        return cls(n, n)", "    @staticmethod",
             "    def twice(n):", "        return n * 2", f"class {d}({c}):", "    def __init__(self, *a, **k):", "        super().__init__(*a, **k)",
             f"        self.extra = {w.expr('int', 1)}", "    def total(self):", "        return super().total() + self.extra"]  # fmt: skip
    use = [f"{o} = {w.pick(c, d)}({w.expr('int')})", f"{o}.double = {w.literal('int')}", f"{o}.level += 1", f"{d}.level = 7",
           f"{out} = [{o}.total(), {d}.make(3).total(), {c}.twice(4), {o}.double, {d}(1, w=5).total(), len({c}.shared), isinstance({o}, {c})]"]  # fmt: skip
    return lines + use


def operators_class(w: Writer) -> list[str]:
    c, out = w.fresh("V"), w.new("list")
    a, b = w.literal("int"), w.literal("int")
    lines = [f"class {c}:", "    def __init__(self, v): self.v = v", f"    def __add__(self, o): return {c}(self.v + getattr(o, 'v', o))",
             f"    def __radd__(self, o): return {c}(o + self.v)", f"    def __mul__(self, o): return {c}(self.v * o)", "    __rmul__ = __mul__",
             "    def __iadd__(self, o):", "        self.v += 100", "        return self", f"    def __neg__(self): return {c}(-self.v)",
             "    def __eq__(self, o): return isinstance(o, type(self)) and self.v == o.v", "    def __lt__(self, o): return self.v < o.v",
             "    def __hash__(self): return hash(self.v)", "    def __len__(self): return abs(self.v)", "    def __bool__(self): return self.v > 2",
             "    def __contains__(self, x): return x == self.v", "    def __getitem__(self, i): return self.v + i",
             "    def __call__(self, x=1): return self.v - x", "    def __iter__(self): return iter([self.v, 1])", "    def __int__(self): return self.v",
             f"    def __sub__(self, o): return NotImplemented if isinstance(o, str) else {c}(0)", "    def __repr__(self): return f'V({self.v})'",
             "    def __matmul__(self, o): return self.v * 10 + o.v", "    def __index__(self): return 1", "    def __abs__(self): return 5",
             "    def __rsub__(self, o): return o - 1", "    def __format__(self, spec): return spec + str(self.v)"]  # fmt: skip
    x, y = w.fresh("x"), w.fresh("y")
    use = [f"{x}, {y} = {c}({a}), {c}({b})", f"{x} += 1", f"{out} = [({x} + {y}).v, (3 + {x}).v, (2 * {y}).v, (-{x}).v, {x} == {y}, {x} < {y}]",
           f"{out} += [len({x}), bool({y}), 4 in {x}, {x}[2], {y}(), list({x}), int({y}), sum([{x}, {y}]).v, {x} @ {y}, {x} != {y}]",
           f"{out} += [max({x}, {y}).v, sorted([{x}, {y}])[0].v, str({x}), f'{{{y}!r}}', [7, 8][{x}], abs({y}), {x} > {y}, not {y}, 9 - {x}]",
           f"{out} += [f'{{{x}:z}}', {y} in [{x}, {c}({b})], {{{x}: 1, {y}: 2}}.get({c}({b}), 0)]"]  # fmt: skip
    return lines + use


def dataclass_(w: Writer) -> list[str]:
    c, d, out = w.fresh("P"), w.fresh("Q"), w.new("list")
    options = w.pick("", "(frozen=True)", "(order=True)", "(kw_only=True)", "(slots=True)", "(eq=False)")
    call = f"{c}(v={w.expr('int')}, items=[1])" if "kw_only" in options else f"{c}({w.expr('int')}, [1])"
    post = [] if "frozen" in options else ["    def __post_init__(self):", "        self.items = [*self.items, self.v]"]
    lines = [f"@dataclasses.dataclass{options}", f"class {c}:", "    v: int", "    items: list = dataclasses.field(default_factory=list)",
             f"    scale: int = {w.literal('int')}", "    count: typing.ClassVar[int] = 4", *post, "    def area(self):", "        return self.v * self.scale"]  # fmt: skip
    x = w.fresh("p")
    use = [f"{x} = {call}", f"{out} = [{x}.area(), {x}.items, dataclasses.replace({x}, v=1).area(), dataclasses.asdict({x}), dataclasses.astuple({x})]",
           f"{out} += [{x} == dataclasses.replace({x}), [f.name for f in dataclasses.fields({x})], {x}.count, repr({x}), {c}.__name__]"]  # fmt: skip
    if options == "":
        lines += ["@dataclasses.dataclass", f"class {d}({c}):", "    extra: dataclasses.InitVar[int] = 3", "    made: int = dataclasses.field(init=False)",
                  "    def __post_init__(self, extra):", "        super().__post_init__()", "        self.made = extra + self.v"]  # fmt: skip
        use += [f"{out} += [{d}(1).made, {d}(2, extra=5).items, {d}(2, [], 4, 6).made]"]
    return lines + use


def tuples_(w: Writer) -> list[str]:
    c, out, x = w.fresh("T"), w.new("list"), w.fresh("t")
    if w.dice.random() < 0.5:
        lines = [
            f"class {c}(typing.NamedTuple):",
            "    a: int",
            "    b: int = 2",
            "    def add(self):",
            "        return self.a + self.b",
        ]
        more = f"{x}.add()"
    else:
        lines, more = [f"{c} = collections.namedtuple({c!r}, 'a b', defaults=[2])"], "0"
    use = [f"{x} = {c}({w.expr('int')})", f"{out} = [{x}.a, {x}[1], *{x}, {x}._replace(a=9), {x}._asdict(), {c}._fields, {more}, len({x}), {x} == (1, 2)]",
           f"{out} += [{c}(**{{'a': 1}}).b, {c}._make([3, 4]).a, {c}(*[5, 6])[::-1], isinstance({x}, tuple), {x} + (1,)]"]  # fmt: skip
    return lines + use


def enum_(w: Writer) -> list[str]:
    c, out = w.fresh("E"), w.new("list")
    base = w.pick("enum.Enum", "enum.IntEnum", "str, enum.Enum")
    values = ("'r'", "'g'") if "str" in base else ("1", w.pick("2", "enum.auto()"))
    lines = [
        f"class {c}({base}):",
        f"    RED = {values[0]}",
        f"    GREEN = {values[1]}",
        "    @property",
        "    def low(self):",
        "        return self.name.lower()",
    ]
    use = [f"{out} = [{c}.RED.name, {c}.GREEN.value, {c}({values[0]}).low, {c}['GREEN'] is {c}.GREEN, len({c}), [m.name for m in {c}]]",
           f"{out} += [{c}.RED == {c}.GREEN, {c}.RED in {c}, {{{c}.RED: 5}}[{c}.RED], isinstance({c}.RED, {c}), list({c}.__members__)]"]  # fmt: skip
    return lines + use


def attribute_class(w: Writer) -> list[str]:
    c, out, o = w.fresh("A"), w.new("list"), w.fresh("o")
    form = w.dice.randint(0, 6)
    if form == 0:
        return [f"class {c}:", "    def __init__(self): self.known = 1", "    def __getattr__(self, name):", "        if name.startswith('x'): return len(name)",
                "        raise AttributeError(name)", f"{o} = {c}()", f"{out} = [{o}.xyz, {o}.known, getattr({o}, 'zz', 5), hasattr({o}, 'xa'), hasattr({o}, 'b')]"]  # fmt: skip
    if form == 1:
        return [f"class {c}:", "    def __setattr__(self, name, v): super().__setattr__(name, v * 2)", f"{o} = {c}()", f"{o}.a = 4", f"setattr({o}, f'b{{1}}', 2)",
                f"{out} = [{o}.a, {o}.b1, sorted(vars({o}))]", f"del {o}.a", f"{out}.append(hasattr({o}, 'a'))"]  # fmt: skip
    if form == 2:
        return [f"class D{c}:", "    def __set_name__(self, owner, name): self.key = '_' + name", "    def __get__(self, obj, cls=None):",
                "        return self if obj is None else getattr(obj, self.key, 0) + 1", "    def __set__(self, obj, v): setattr(obj, self.key, v * 10)",
                f"class {c}:", f"    w = D{c}()", f"{o} = {c}()", f"{out} = [{o}.w]", f"{o}.w = 3", f"{out} += [{o}.w, {o}._w, {c}.w.key]"]  # fmt: skip
    if form == 3:
        return [f"class {c}:", "    kinds = {}", "    def __init_subclass__(cls, tag=None, **k):", "        super().__init_subclass__(**k)", "        cls.kinds[tag] = cls.__name__",
                f"class S{c}({c}, tag='s'): pass", f"class U{c}({c}): pass", f"{out} = [sorted(map(str, {c}.kinds)), {c}.kinds['s']]"]  # fmt: skip
    if form == 4:
        return [f"class {c}:", "    calls = 0", "    @functools.cached_property", "    def heavy(self):", f"        {c}.calls += 1", "        return [self.calls]",
                f"{o} = {c}()", f"{out} = [{o}.heavy, {o}.heavy is {o}.heavy, {c}.calls, 'heavy' in vars({o})]"]  # fmt: skip
    if form == 5:
        return [f"class M{c}(type):", "    def __new__(mcs, name, bases, d, **k):", "        d['tag'] = name.lower()", "        return super().__new__(mcs, name, bases, d)",
                "    def __call__(cls, *a):", "        made = super().__call__(*a)", "        made.seen = True", "        return made", "    def __len__(cls): return 3",
                f"class {c}(metaclass=M{c}):", "    def __init__(self, v): self.v = v", f"{out} = [{c}.tag, {c}(4).v, {c}(1).seen, len({c})]"]  # fmt: skip
    return [f"class {c}:", "    __slots__ = ('v',)", "    made = None", "    def __new__(cls, *a):", "        if cls.made is None: cls.made = super().__new__(cls)",
            "        return cls.made", "    def __init__(self, v): self.v = v", "    def __class_getitem__(cls, k): return k", f"{o} = {c}(1)",
            f"{out} = [{c}(5) is {o}, {o}.v, {c}['k']]"]  # fmt: skip


def containers_class(w: Writer) -> list[str]:
    c, out, o = w.fresh("B"), w.new("list"), w.fresh("o")
    form = w.dice.randint(0, 4)
    if form == 0:
        return [f"class {c}(dict):", "    def __missing__(self, k): return len(self)", "    def __getattr__(self, n): return self[n]", f"{o} = {c}(a={w.expr('int')})",
                f"{o}['b'] = 2", f"{out} = [{o}['zz'], {o}.a, len({o}), {o}.get('q', 3), list({o}), sorted({o}.values()), 'b' in {o}]"]  # fmt: skip
    if form == 1:
        return [f"class {c}(list):", "    def total(self): return sum(self)", "    def append(self, v): super().append(v + 1)", f"{o} = {c}([1, 2])", f"{o}.append(3)",
                f"{out} = [{o}.total(), len({o}), {o}[-1], {o}[:2], list(reversed({o}))]"]  # fmt: skip
    if form == 2:
        return [f"class {c}:", "    def __init__(self, n): self.n, self.i = n, 0", "    def __iter__(self): return self", "    def __next__(self):",
                "        if self.i >= self.n: raise StopIteration", "        self.i += 1", "        return self.i", f"{out} = [*{c}(3), sum({c}(2)), list(zip({c}(2), 'ab'))]",
                f"for v in {c}(3):", f"    {out}.append(v)", f"a{o}, *b{o} = {c}(3)", f"{out} += [a{o}, b{o}, max({c}(4)), 2 in {c}(3)]"]  # fmt: skip
    if form == 3:
        return [
            f"{o} = collections.defaultdict(list)",
            f"for v in {w.integers(1)}:",
            f"    {o}[v % 3].append(v)",
            f"{out} = [dict({o}), len({o}), {o}.get(7), sorted({o})]",
        ]
    return [f"{o} = collections.OrderedDict(a=1, b=2)", f"{o}.move_to_end('a')", f"{o}['c'] = {w.expr('int')}", f"{out} = [list({o}), {o}.popitem(last=False), len({o})]",
            f"q{o} = collections.deque([1, 2, 3], maxlen=3)", f"q{o}.append(4)", f"q{o}.appendleft(0)", f"q{o}.rotate(1)", f"{out} += [list(q{o}), q{o}[0], q{o}.pop(), q{o}.popleft(), len(q{o})]"]  # fmt: skip


def functools_(w: Writer) -> list[str]:
    f, out = w.fresh("fn"), w.new("list")
    form = w.dice.randint(0, 4)
    if form == 0:
        return [f"count{f} = 0", f"@functools.{w.pick('lru_cache', 'cache', 'lru_cache(maxsize=None)')}", f"def {f}(n):", f"    global count{f}", f"    count{f} += 1",
                f"    return n if n < 2 else {f}(n - 1) + {f}(n - 2)", f"{out} = [{f}(5), {f}(4), count{f}]"]  # fmt: skip
    if form == 1:
        return ["@functools.singledispatch", f"def {f}(v): return 'other'", f"@{f}.register", "def _(v: int): return 'int'", f"@{f}.register(list)",
                "def _(v): return 'list'", f"{out} = [{f}(1), {f}([]), {f}('s'), {f}(True)]"]  # fmt: skip
    if form == 2:
        return [
            f"class {f}:",
            "    def show(self, a, b=1): return a * 10 + b",
            "    plus = functools.partialmethod(show, 2)",
            f"{out} = [{f}().plus(), {f}().plus(b=5)]",
        ]
    if form == 3:
        return [
            f"def {f}(a, b, c=3): return [a, b, c]",
            f"p{f} = functools.partial({f}, 1, c=7)",
            f"{out} = [p{f}(2), p{f}(2, c=8), p{f}.func is {f}, p{f}.args, p{f}.keywords]",
        ]
    return ["@functools.total_ordering", f"class {f}:", "    def __init__(self, v): self.v = v", "    def __lt__(self, o): return self.v < o.v",
            "    def __eq__(self, o): return self.v == o.v", f"{out} = [{f}(1) >= {f}(2), {f}(1) <= {f}(1), {f}(3) > {f}(2)]"]  # fmt: skip


CLASSES = [plain_class, operators_class, dataclass_, tuples_, enum_, attribute_class, containers_class, functools_]
