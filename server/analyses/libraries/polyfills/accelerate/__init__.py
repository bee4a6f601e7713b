"""Accelerate's loop: `prepare`, `backward` and `accumulate`, as accelerate 1.15 runs them on one device."""

from contextlib import contextmanager

import torch
from gradguard import known, unknown


class Accelerator:
    def __init__(self, *, mixed_precision=None, gradient_accumulation_steps=1, **others):
        self.gradient_accumulation_steps = gradient_accumulation_steps
        self.mixed_precision = mixed_precision
        self.sync_gradients = True
        self.step = 0
        self.is_main_process = True
        self.is_local_main_process = True
        self.is_last_process = True
        self.num_processes = 1
        self.process_index = 0
        self.scaler = None

    @property
    def device(self):
        return unknown("device")

    def prepare(self, *args, device_placement=None):
        prepared = tuple(AcceleratedOptimizer(one, self) if is_optimizer(one) else one for one in args)
        return prepared[0] if len(prepared) == 1 else prepared

    def prepare_model(self, model, *args, **kwargs):
        return model

    def prepare_optimizer(self, optimizer, *args, **kwargs):
        return AcceleratedOptimizer(optimizer, self)

    def prepare_data_loader(self, data_loader, *args, **kwargs):
        return data_loader

    def prepare_scheduler(self, scheduler):
        return scheduler

    def backward(self, loss, **kwargs):
        loss = loss / self.gradient_accumulation_steps
        loss.backward(**kwargs)

    @contextmanager
    def accumulate(self, *models):
        self.step += 1
        self.sync_gradients = self.step % self.gradient_accumulation_steps == 0
        yield

    @contextmanager
    def no_sync(self, model):
        yield

    @contextmanager
    def autocast(self, autocast_handler=None):
        yield

    @contextmanager
    def main_process_first(self):
        yield

    @contextmanager
    def local_main_process_first(self):
        yield

    def clip_grad_norm_(self, parameters, max_norm, norm_type=2):
        return torch.nn.utils.clip_grad_norm_(parameters, max_norm, norm_type)

    def clip_grad_value_(self, parameters, clip_value):
        torch.nn.utils.clip_grad_value_(parameters, clip_value)

    def unscale_gradients(self, optimizer=None):
        pass

    def gather(self, tensor):
        return tensor

    def gather_for_metrics(self, input_data, use_gather_object=False):
        return input_data

    def reduce(self, tensor, reduction="sum", scale=1.0):
        return tensor

    def unwrap_model(self, model, keep_fp32_wrapper=True, keep_torch_compile=False):
        return model

    def print(self, *args, **kwargs):
        pass

    def log(self, values, step=None, log_kwargs=None):
        pass

    def wait_for_everyone(self):
        pass

    def init_trackers(self, *args, **kwargs):
        pass

    def end_training(self):
        pass

    def save(self, *args, **kwargs):
        pass

    def save_state(self, *args, **kwargs):
        pass

    def save_model(self, *args, **kwargs):
        pass

    def load_state(self, *args, **kwargs):
        pass

    def register_for_checkpointing(self, *objects):
        pass

    def free_memory(self, *objects):
        return objects


def is_optimizer(one):
    if not known(one) or isinstance(one, torch.nn.Module):
        return False
    return isinstance(one, torch.optim.Optimizer)


class AcceleratedOptimizer:
    """Steps and clears gradients when they are complete; while they accumulate it does nothing."""

    def __init__(self, optimizer, accelerator):
        self.optimizer = optimizer
        self.accelerator = accelerator

    def step(self, closure=None):
        if self.accelerator.sync_gradients:
            self.optimizer.step(closure)

    def zero_grad(self, set_to_none=True):
        if self.accelerator.sync_gradients:
            self.optimizer.zero_grad(set_to_none=set_to_none)

    def __getattr__(self, name):
        return getattr(self.optimizer, name)
