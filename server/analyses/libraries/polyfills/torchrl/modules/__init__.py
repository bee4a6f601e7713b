"""Networks, and wrappers that make actors and critics of them, as in torchrl 0.14."""

import torch
from gradguard import linked
from tensordict.nn import TensorDictModule, TensorDictSequential
from torch import nn


class MLP(nn.Sequential):
    def __init__(
        self,
        in_features=None,
        out_features=None,
        depth=None,
        num_cells=None,
        activation_class=nn.Tanh,
        activation_kwargs=None,
        norm_class=None,
        norm_kwargs=None,
        dropout=None,
        bias_last_layer=True,
        layer_class=nn.Linear,
        layer_kwargs=None,
        activate_last_layer=False,
        **kwargs,
    ):
        if num_cells is None:
            num_cells = [32] * (depth or 0)
        cells = [num_cells] * depth if isinstance(num_cells, int) else list(num_cells)
        sizes = [in_features, *cells, out_features]
        layers = []
        last = len(sizes) - 2
        for i in range(last + 1):
            layers.append(nn.LazyLinear(sizes[i + 1]) if sizes[i] is None else layer_class(sizes[i], sizes[i + 1]))
            if i < last or activate_last_layer:
                if dropout is not None:
                    layers.append(nn.Dropout(dropout))
                if norm_class is not None:
                    layers.append(norm_class(**(norm_kwargs or {})))
                layers.append(activation_class(**(activation_kwargs or {})))
        super().__init__(*layers)

    def forward(self, *inputs):
        value = inputs[0] if len(inputs) == 1 else torch.cat(inputs, -1)
        for layer in self:
            value = layer(value)
        return value


class Actor(TensorDictModule):
    def __init__(self, module, in_keys=None, out_keys=None, **kwargs):
        super().__init__(module, in_keys or ["observation"], out_keys or ["action"])


class ValueOperator(TensorDictModule):
    def __init__(self, module, in_keys=None, out_keys=None):
        in_keys = in_keys or ["observation"]
        super().__init__(module, in_keys, out_keys or ["state_action_value" if "action" in in_keys else "state_value"])


class ProbabilisticActor(nn.Module):
    """A network for the parameters of a distribution, an action drawn from it, and its log probability if asked for."""

    def __init__(
        self,
        module,
        in_keys,
        out_keys=None,
        *,
        distribution_class=None,
        return_log_prob=False,
        log_prob_key="action_log_prob",
        **kwargs,
    ):
        super().__init__()
        self.module = module
        self.in_keys = list(in_keys.values()) if isinstance(in_keys, dict) else list(in_keys)
        self.out_keys = ["action"] if out_keys is None else list(out_keys)
        self.return_log_prob = return_log_prob
        self.log_prob_key = log_prob_key

    def forward(self, tensordict, *args, **kwargs):
        tensordict = self.module(tensordict)
        given = [tensordict.get(key) for key in self.in_keys]
        action = linked(*given)
        tensordict.set(self.out_keys[0], action)
        if self.return_log_prob:
            tensordict.set(self.log_prob_key, linked(*given, action))
        return tensordict
