"""Which methods of a tensordict write into its tensors, which put others in their place, and what is a view."""

import torch
from tensordict import TensorDict
from tensordict.nn import TensorDictModule, TensorDictSequential

METHODS = {
    "set": lambda td: td.set("a", torch.ones(3, 2)),
    "set in place": lambda td: td.set("a", torch.ones(3, 2), inplace=True),
    "set_": lambda td: td.set_("a", torch.ones(3, 2)),
    "set_at_": lambda td: td.set_at_("a", torch.ones(2), 0),
    "update": lambda td: td.update({"a": torch.ones(3, 2)}),
    "update_": lambda td: td.update_({"a": torch.ones(3, 2)}),
    "[]=": lambda td: td.__setitem__("a", torch.ones(3, 2)),
    "[0]=": lambda td: td.__setitem__(0, TensorDict({"a": torch.ones(2)}, [])),
    "fill_": lambda td: td.fill_("a", 0.0),
    "zero_": lambda td: td.zero_(),
    "add_": lambda td: td.add_(1),
    "mul_": lambda td: td.mul_(2),
}
VIEWS = {
    "[0]": lambda td: td[0],
    "[:2]": lambda td: td[:2],
    "clone": lambda td: td.clone(),
    "clone(False)": lambda td: td.clone(False),
    "copy": lambda td: td.copy(),
    "detach": lambda td: td.detach(),
    "select": lambda td: td.select("a"),
    "exclude": lambda td: td.exclude("b"),
    "unsqueeze": lambda td: td.unsqueeze(0),
    "to": lambda td: td.to(torch.float64),
    "+": lambda td: td + 1,
}


def made():
    a = torch.randn(3, 2)
    return a, TensorDict({"a": a, "n": {"c": torch.zeros(3)}}, batch_size=[3]).exclude("n")


for name, method in METHODS.items():
    a, td = made()
    method(td)
    print("TRACE", name, a._version, td["a"] is a)
for name, method in VIEWS.items():
    a, td = made()
    other = method(td)["a"]
    print("TRACE", name, other is a, other.untyped_storage().data_ptr() == a.untyped_storage().data_ptr())
td = TensorDict({"n": {"c": torch.zeros(3)}}, batch_size=[3])
print("TRACE", td["n", "c"] is td["n"]["c"], td.get(("n", "c")) is td["n", "c"], "x" in td.keys())
td["n", "d"] = torch.ones(3)
print("TRACE", sorted(td["n"].keys()))
module = TensorDictSequential(
    TensorDictModule(lambda a: (a + 1, a), in_keys=["a"], out_keys=["b", "same"]),
    TensorDictModule(torch.exp, in_keys=["b"], out_keys=["c"]),
)
a, td = made()
out = module(td)
print("TRACE", out is td, sorted(td.keys()), td["same"] is a, td.pop("c").shape, sorted(td.keys()))
