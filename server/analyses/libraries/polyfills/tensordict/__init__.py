"""Tensors by name, with a common batch size, as in tensordict 0.14.

Methods that end in `_` write into the tensors that are held; `set` and `update` replace them by others.
"""

import torch


class TensorDictBase:
    pass


class TensorDict(TensorDictBase):
    def __init__(self, source=None, batch_size=None, device=None, **kwargs):
        self.batch_size = batch_size
        self.device = device
        self._items = {}
        if source is not None:
            for key, value in source.items():
                self.set(key, value)

    @classmethod
    def from_dict(cls, input_dict, batch_size=None, **kwargs):
        return TensorDict(input_dict, batch_size)

    @property
    def shape(self):
        return self.batch_size

    # -- by name ---------------------------------------------------------------------------------

    def get(self, key, default=None):
        if isinstance(key, tuple):
            return self._items[key[0]] if len(key) == 1 else self._items[key[0]].get(key[1:], default)
        return self._items.get(key, default)

    def set(self, key, item, inplace=False, **kwargs):
        if isinstance(item, dict):
            item = TensorDict(item, self.batch_size)
        if isinstance(key, tuple) and len(key) > 1:
            if key[0] not in self._items:
                self._items[key[0]] = TensorDict({}, self.batch_size)
            self._items[key[0]].set(key[1:], item)
            return self
        if isinstance(key, tuple):
            key = key[0]
        if inplace and key in self._items:
            self._items[key].copy_(item)
        else:
            self._items[key] = item
        return self

    def set_(self, key, item, **kwargs):
        self.get(key).copy_(item)
        return self

    def set_at_(self, key, value, index):
        self.get(key)[index] = value
        return self

    def fill_(self, key, value):
        self.get(key).fill_(value)
        return self

    def pop(self, key, default=None):
        return self._items.pop(key, default)

    def setdefault(self, key, default, inplace=False):
        return self._items.setdefault(key, default)

    def rename_key_(self, old_key, new_key, safe=False):
        self._items[new_key] = self._items.pop(old_key)
        return self

    def keys(self, include_nested=False, leaves_only=False):
        return self._items.keys()

    def values(self, include_nested=False, leaves_only=False):
        return self._items.values()

    def items(self, include_nested=False, leaves_only=False):
        return self._items.items()

    def __contains__(self, key):
        return key in self._items

    def update(self, input_dict_or_td, clone=False, inplace=False, **kwargs):
        for key, value in input_dict_or_td.items():
            self.set(key, value, inplace)
        return self

    def update_(self, input_dict_or_td, clone=False, **kwargs):
        for key, value in input_dict_or_td.items():
            self.set_(key, value)
        return self

    # -- by index --------------------------------------------------------------------------------

    def __getitem__(self, index):
        if isinstance(index, str):
            return self._items[index]
        if isinstance(index, tuple) and isinstance(index[0], str):
            return self.get(index)
        return self.apply(lambda value: value[index])

    def __setitem__(self, index, value):
        if isinstance(index, (str, tuple)) and isinstance(index[0], str):
            self.set(index, value)
            return
        for key, held in self._items.items():
            held[index] = value[key] if isinstance(value, (TensorDict, dict)) else value

    def __delitem__(self, key):
        del self._items[key]

    def __len__(self):
        return self.batch_size[0]

    def unbind(self, dim=0):
        return tuple(self[i] for i in range(self.batch_size[dim]))

    # -- of all ----------------------------------------------------------------------------------

    def apply(self, fn, *others, batch_size=None, inplace=False, **kwargs):
        made = TensorDict({}, batch_size)
        for key, value in self._items.items():
            more = [other[key] for other in others]
            made._items[key] = value.apply(fn, *more) if isinstance(value, TensorDict) else fn(value, *more)
        if inplace:
            self._items = made._items
            return self
        return made

    def apply_(self, fn, *others, **kwargs):
        return self.apply(fn, *others, inplace=True)

    def clone(self, recurse=True):
        return self.apply(lambda value: value.clone() if recurse else value, batch_size=self.batch_size)

    def copy(self):
        return self.clone(False)

    def contiguous(self):
        return self.apply(lambda value: value.contiguous(), batch_size=self.batch_size)

    def detach(self):
        return self.apply(lambda value: value.detach(), batch_size=self.batch_size)

    def detach_(self):
        for value in self._items.values():
            value.detach_()
        return self

    def zero_(self):
        for value in self._items.values():
            value.zero_()
        return self

    def requires_grad_(self, requires_grad=True):
        for value in self._items.values():
            value.requires_grad_(requires_grad)
        return self

    def select(self, *keys, inplace=False, strict=True):
        return TensorDict({key: self.get(key) for key in keys}, self.batch_size)

    def exclude(self, *keys, inplace=False):
        return TensorDict({key: value for key, value in self._items.items() if key not in keys}, self.batch_size)

    def to(self, *args, **kwargs):
        return self.apply(lambda value: value.to(*args, **kwargs), batch_size=self.batch_size)

    def to_dict(self):
        return dict(self._items)

    def reshape(self, *shape):
        return self.apply(lambda value: value.reshape(*shape))

    def view(self, *shape):
        return self.apply(lambda value: value.view(*shape))

    def flatten(self, start_dim=0, end_dim=-1):
        return self.reshape(-1)

    def unsqueeze(self, dim):
        return self.apply(lambda value: value.unsqueeze(dim))

    def squeeze(self, dim=None):
        return self.apply(lambda value: value.squeeze(dim))

    def expand(self, *shape):
        return self.apply(lambda value: value.expand(*shape))

    def split(self, split_size, dim=0):
        return [self]

    def empty(self, recurse=False):
        return TensorDict({}, self.batch_size)

    def __add__(self, other):
        return self.apply(lambda value: value + other)

    def __mul__(self, other):
        return self.apply(lambda value: value * other)

    def add_(self, other, alpha=1):
        for key, value in self._items.items():
            value.add_(other[key] if isinstance(other, TensorDict) else other)
        return self

    def mul_(self, other):
        for key, value in self._items.items():
            value.mul_(other[key] if isinstance(other, TensorDict) else other)
        return self
