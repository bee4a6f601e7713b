"""Modules, and models that the runner trains: `train_step` runs forward for the losses, then backward and a step."""

from torch import nn


class BaseModule(nn.Module):
    def __init__(self, init_cfg=None):
        super().__init__()
        self.init_cfg = init_cfg

    def init_weights(self):
        pass


class Sequential(BaseModule, nn.Sequential):
    def __init__(self, *args, init_cfg=None):
        nn.Sequential.__init__(self, *args)


class ModuleList(BaseModule, nn.ModuleList):
    def __init__(self, modules=None, init_cfg=None):
        nn.ModuleList.__init__(self, modules)


class ModuleDict(BaseModule, nn.ModuleDict):
    def __init__(self, modules=None, init_cfg=None):
        nn.ModuleDict.__init__(self, modules)


class BaseModel(BaseModule):
    def __init__(self, data_preprocessor=None, init_cfg=None):
        super().__init__(init_cfg)
        self.data_preprocessor = data_preprocessor

    def train_step(self, data, optim_wrapper):
        losses = self._run_forward(data, mode="loss")
        parsed, log_vars = self.parse_losses(losses)
        optim_wrapper.update_params(parsed)
        return log_vars

    def _run_forward(self, data, mode):
        if isinstance(data, dict):
            return self(**data, mode=mode)
        return self(*data, mode=mode)

    def parse_losses(self, losses):
        total = sum(value.mean() for name, value in losses.items() if "loss" in name)
        return total, losses
