"""Pruning: a module's tensor is the product of the original and a mask, computed by a hook before each forward."""

import torch
from gradguard import known


class BasePruningMethod:
    def __call__(self, module, inputs):
        setattr(module, self._tensor_name, self.apply_mask(module))

    def compute_mask(self, t, default_mask):
        return default_mask

    def apply_mask(self, module):
        original, mask = (getattr(module, f"{self._tensor_name}_{part}") for part in ("orig", "mask"))
        return mask.to(dtype=original.dtype) * original

    @classmethod
    def apply(cls, module, name, *args, importance_scores=None, **kwargs):
        if not (known(module) and known(name)):
            return None
        method = cls(*args, **kwargs)
        method._tensor_name = name
        earlier = _method_of(module, name)
        original = getattr(module, name)
        if earlier is None:
            module.register_parameter(f"{name}_orig", original)
            delattr(module, name)
            mask = torch.ones_like(original)
        else:
            earlier._handle.remove()
            method = PruningContainer(earlier, method)
            mask = getattr(module, f"{name}_mask").detach().clone()
        scores = original if importance_scores is None else importance_scores
        module.register_buffer(f"{name}_mask", method.compute_mask(scores, default_mask=mask))
        method(module, ())
        method._handle = module.register_forward_pre_hook(method)
        return method

    def prune(self, t, default_mask=None, importance_scores=None):
        scores = t if importance_scores is None else importance_scores
        mask = torch.ones_like(t) if default_mask is None else default_mask
        return t * self.compute_mask(scores, default_mask=mask)

    def remove(self, module):
        name = self._tensor_name
        weight = self.apply_mask(module)
        original = getattr(module, f"{name}_orig")
        original.data = weight.data
        for part in ("", "_orig", "_mask"):
            delattr(module, name + part)
        module.register_parameter(name, original)


class PruningContainer(BasePruningMethod):
    def __init__(self, *methods):
        self._pruning_methods = ()
        for method in methods:
            self.add_pruning_method(method)

    def add_pruning_method(self, method):
        inner = method._pruning_methods if isinstance(method, PruningContainer) else (method,)
        self._pruning_methods += inner
        self._tensor_name = method._tensor_name

    def __len__(self):
        return len(self._pruning_methods)

    def __iter__(self):
        return iter(self._pruning_methods)

    def __getitem__(self, idx):
        return self._pruning_methods[idx]

    def compute_mask(self, t, default_mask):
        """Let the last method choose among what the earlier ones have left."""
        method = self._pruning_methods[-1]
        left = _left(method, t, default_mask)
        mask = default_mask.to(dtype=t.dtype)
        mask[left] = method.compute_mask(t[left], default_mask=default_mask[left]).to(dtype=mask.dtype)
        return mask


def _left(method, t, mask):
    """An index for what a method may choose among: single elements, whole slices, or everything."""
    if method.PRUNING_TYPE == "unstructured":
        return mask == 1
    whole = [slice(None)] * t.dim()
    if method.PRUNING_TYPE == "structured":
        dim = method.dim % t.dim()
        whole[dim] = mask.sum(dim=[d for d in range(t.dim()) if d != dim]) != 0
    return tuple(whole)


class Identity(BasePruningMethod):
    PRUNING_TYPE = "unstructured"


class _Unstructured(BasePruningMethod):
    PRUNING_TYPE = "unstructured"

    def __init__(self, amount):
        self.amount = amount

    def compute_mask(self, t, default_mask):
        count = _count(self.amount, t.nelement())
        mask = default_mask.clone()
        if _some(count):
            mask.view(-1)[torch.topk(self.scores(t).view(-1), k=count, largest=False).indices] = 0
        return mask


class RandomUnstructured(_Unstructured):
    def scores(self, t):
        return -torch.rand_like(t)


class L1Unstructured(_Unstructured):
    def scores(self, t):
        return torch.abs(t)


class RandomStructured(BasePruningMethod):
    PRUNING_TYPE = "structured"

    def __init__(self, amount, dim=-1):
        self.amount = amount
        self.dim = dim

    def compute_mask(self, t, default_mask):
        count = _count(self.amount, t.shape[self.dim])
        if not _some(count):
            return default_mask
        chances = torch.rand(t.shape[self.dim])
        return _slices(t, self.dim, chances > torch.kthvalue(chances, k=count).values, default_mask)


class LnStructured(BasePruningMethod):
    PRUNING_TYPE = "structured"

    def __init__(self, amount, n, dim=-1):
        self.amount = amount
        self.n = n
        self.dim = dim

    def compute_mask(self, t, default_mask):
        size = t.shape[self.dim]
        count = _count(self.amount, size)
        others = [d for d in range(t.dim()) if d != self.dim % t.dim()]
        best = torch.topk(torch.norm(t, p=self.n, dim=others), k=size - count, largest=True)
        return _slices(t, self.dim, best.indices, default_mask) if _some(count) else default_mask


class CustomFromMask(BasePruningMethod):
    PRUNING_TYPE = "global"

    def __init__(self, mask):
        self.mask = mask

    def compute_mask(self, t, default_mask):
        return default_mask * self.mask.to(dtype=default_mask.dtype)


def _count(amount, size):
    return amount if known(amount) and isinstance(amount, int) else round(amount * size)


def _some(count):
    """Whether anything is pruned, as it is where that isn't known."""
    return not known(count) or count != 0


def _slices(t, dim, kept, default_mask):
    """A mask that keeps some slices along a dimension."""
    mask = torch.zeros_like(t)
    index = [slice(None)] * t.dim()
    index[dim] = kept
    mask[tuple(index)] = 1
    mask *= default_mask.to(dtype=mask.dtype)
    return mask


def _methods(module):
    return [hook for hook in module._forward_pre_hooks.values() if isinstance(hook, BasePruningMethod)]


def _method_of(module, name):
    return next((hook for hook in _methods(module) if hook._tensor_name == name), None)


def identity(module, name):
    Identity.apply(module, name)
    return module


def random_unstructured(module, name, amount):
    RandomUnstructured.apply(module, name, amount)
    return module


def l1_unstructured(module, name, amount, importance_scores=None):
    L1Unstructured.apply(module, name, amount, importance_scores=importance_scores)
    return module


def random_structured(module, name, amount, dim):
    RandomStructured.apply(module, name, amount, dim)
    return module


def ln_structured(module, name, amount, n, dim, importance_scores=None):
    LnStructured.apply(module, name, amount, n, dim, importance_scores=importance_scores)
    return module


def custom_from_mask(module, name, mask):
    CustomFromMask.apply(module, name, mask)
    return module


def global_unstructured(parameters, pruning_method, importance_scores=None, **kwargs):
    parameters = list(parameters)
    given = importance_scores or {}
    tensors = [getattr(module, name) for module, name in parameters]
    scores = [given.get(one, t) for one, t in zip(parameters, tensors)]
    masks = [getattr(module, f"{name}_mask", torch.ones_like(t)) for (module, name), t in zip(parameters, tensors)]
    method = pruning_method(**kwargs)
    method._tensor_name = "temp"
    flat = torch.nn.utils.parameters_to_vector
    mask = PruningContainer(method).compute_mask(flat(scores), flat(masks))
    start = 0
    for (module, name), t in zip(parameters, tensors):
        custom_from_mask(module, name, mask[start : start + t.numel()].view_as(t))
        start += t.numel()


def remove(module, name):
    method = _method_of(module, name)
    if method is not None:
        method.remove(module)
        method._handle.remove()
    return module


def is_pruned(module):
    return any(_methods(inner) for inner in module.modules())
