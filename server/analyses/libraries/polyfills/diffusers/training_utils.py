"""Averaged weights. They are written to parameters through `.data`, which their version counters don't see."""

import torch


class EMAModel:
    def __init__(self, parameters, decay=0.9999, *args, **kwargs):
        self.shadow_params = [p.clone().detach() for p in parameters]
        self.temp_stored_params = None

    @torch.no_grad()
    def step(self, parameters):
        for s_param, param in zip(self.shadow_params, list(parameters)):
            s_param.sub_(0.1 * (s_param - param))

    def copy_to(self, parameters):
        for s_param, param in zip(self.shadow_params, list(parameters)):
            param.data.copy_(s_param.data)

    def store(self, parameters):
        self.temp_stored_params = [param.detach().cpu().clone() for param in parameters]

    def restore(self, parameters):
        for c_param, param in zip(self.temp_stored_params, parameters):
            param.data.copy_(c_param.data)
        self.temp_stored_params = None

    def to(self, *args, **kwargs):
        pass
