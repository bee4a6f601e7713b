"""Models of Python's `argparse`: a parser returns its defaults, each of which may be another value in a run."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from ...domain import registry
from ...domain.registry import method_of
from ...domain.values import Args, DictV, Instance, ListV, Unknown, Value
from ...operators.cases import items_of
from ...python import sequences

if TYPE_CHECKING:
    from ...python.machine import Machine


OPTION = "option"
"""the key under which a parser keeps the description of an option, together with its name"""


@method_of("argparse.ArgumentParser", "__init__")
def parser(m: Machine, args: Args) -> Value:
    """`ArgumentParser(…)`."""
    args[0].model_state["defaults"] = DictV()
    return None


@method_of("argparse.ArgumentParser", "add_argument")
def add_argument(m: Machine, args: Args) -> Value:
    """`p.add_argument("--name", default=…)`: we assume that the program runs with the default."""
    names = [n for n in args.pos[1:] if isinstance(n, str)]
    if not names:
        return Unknown("an argument")
    long = next((n for n in names if n.startswith("--")), names[0])
    dest = args.kw.get("dest", long.lstrip("-").replace("-", "_"))
    action = args.kw.get("action")
    if "default" in args.kw:
        value = args.kw["default"]
    elif action in ("store_true", "store_false"):
        value = action == "store_false"
    elif not long.startswith("-"):
        value = Unknown(str(dest))
    else:
        value = None if "required" not in args.kw else Unknown(str(dest))
    sequences.add(m, args[0].model_state["defaults"], dest, value)
    for name in names:
        args[0].model_state[OPTION, name] = (dest, args)
    return Unknown("an argument")


@method_of("argparse.ArgumentParser", "set_defaults")
def set_defaults(m: Machine, args: Args) -> Value:
    """`p.set_defaults(**kw)`."""
    for k, v in args.kw.items():
        sequences.add(m, args[0].model_state["defaults"], k, v)
    return None


@method_of("argparse.ArgumentParser", "add_argument_group", "add_mutually_exclusive_group")
def argument_group(m: Machine, args: Args) -> Value:
    """A group adds to its parser."""
    return args[0]


@method_of("argparse.ArgumentParser", "parse_args")
def parse_args(m: Machine, args: Args) -> Value:
    """`p.parse_args()`: the defaults, and the arguments that the program itself passes."""
    made = Instance(registry.class_named(m, "argparse.Namespace"), m.here.site)
    defaults = args[0].model_state["defaults"]
    made.attributes.update({str(k): m.state.resolve(defaults.items[k]) for k in sequences.keys(defaults)})
    given = m.state.resolve(args.get(1, "args"))
    if isinstance(given, ListV):
        words = [str(word) for word in items_of(m, given) if isinstance(word, str)]
        for word, following in pairwise([*words, ""]):
            name, _, value = word.partition("=")
            if (OPTION, name) in args[0].model_state:
                dest, option = args[0].model_state[OPTION, name]
                made.attributes[str(dest)] = told(m, option, value or following)
    return made


def told(m: Machine, option: Args, word: str) -> Value:
    """The value of an option that is passed, followed by a word."""
    action = option.kw.get("action", "store")
    if action in ("store_true", "store_false"):
        return action == "store_true"
    if action == "store_const":
        return option.kw.get("const")
    if action != "store" or "nargs" in option.kw:
        return Unknown("an argument")
    return m.call(option.kw["type"], Args([word], site=m.here.site)) if "type" in option.kw else word


@method_of("argparse.ArgumentParser", "parse_known_args")
def parse_known_args(m: Machine, args: Args) -> Value:
    """`p.parse_known_args()`: the known options, and the remaining words."""
    rest = ListV()
    rest.open = True
    return parse_args(m, args), rest
