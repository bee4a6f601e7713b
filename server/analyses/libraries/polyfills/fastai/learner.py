"""The learner: forward, loss, backward and step, with calls of the callbacks in between (`fastai/learner.py`)."""

from contextlib import contextmanager

import torch
from fastai.callback.core import (
    Callback,
    CancelBackwardException,
    CancelBatchException,
    CancelEpochException,
    CancelFitException,
    CancelStepException,
    CancelTrainException,
    CancelValidException,
)
from gradguard import data, defined, known, unknown
from torch import nn


class Optimizer:
    """fastai's own optimizer. It writes through `.data`, which version counters don't see."""

    def __init__(self, params):
        self.params = params

    def step(self):
        for p in self.params:
            if p.grad is not None:
                p.data.add_(p.grad.data, alpha=-1)

    def zero_grad(self):
        for p in self.params:
            if p.grad is not None:
                p.grad.detach_()
                p.grad.zero_()


class Learner:
    def __init__(self, dls, model, loss_func=None, opt_func=None, lr=0.001, splitter=None, cbs=None, **others):
        self.dls = dls
        self.model = model
        self.loss_func = unknown("the data's loss") if loss_func is None else loss_func
        self.opt = None
        self.training = False
        self.cbs = []
        self.add_cbs(cbs)

    def add_cbs(self, cbs):
        given = [] if cbs is None else cbs if isinstance(cbs, (list, tuple)) else [cbs]
        for one in given:
            self.add_cb(one)
        return self

    def add_cb(self, cb):
        if isinstance(cb, type):
            cb = cb()
        cb.learn = self
        self.cbs.append(cb)
        return self

    def remove_cbs(self, cbs):
        for one in cbs if isinstance(cbs, (list, tuple)) else [cbs]:
            self.remove_cb(one)
        return self

    def remove_cb(self, cb):
        self.cbs = [one for one in self.cbs if one is not cb]
        return self

    def __call__(self, event):
        """Call the method for an event in each callback that defines it, by `order`."""
        for cb in sorted(self.cbs, key=lambda cb: cb.order):
            if defined(cb, event):
                getattr(cb, event)()

    def create_opt(self):
        self.opt = Optimizer(list(self.model.parameters()))

    # -- training --------------------------------------------------------------------------------

    def fit(self, n_epoch, lr=None, wd=None, cbs=None, reset_opt=False, start_epoch=0):
        self.add_cbs(cbs)
        if self.opt is None or reset_opt:
            self.create_opt()
        self.n_epoch = n_epoch
        self("before_fit")
        try:
            for epoch in range(n_epoch if known(n_epoch) else 1):
                self.epoch = epoch
                self.one_epoch()
        except CancelFitException:
            self("after_cancel_fit")
        self("after_fit")
        self.remove_cbs([] if cbs is None else cbs)

    def fit_one_cycle(self, n_epoch, lr_max=None, cbs=None, **others):
        self.fit(n_epoch, cbs=cbs)

    def fit_flat_cos(self, n_epoch, lr=None, cbs=None, **others):
        self.fit(n_epoch, cbs=cbs)

    def fit_sgdr(self, n_cycles, cycle_len, cbs=None, **others):
        self.fit(n_cycles, cbs=cbs)

    def fine_tune(self, epochs, base_lr=0.002, freeze_epochs=1, **others):
        self.fit(freeze_epochs)
        self.fit(epochs)

    def one_epoch(self):
        self("before_epoch")
        try:
            self.training = True
            self.model.train()
            self.batches(self.dls.train if known(self.dls) else data("batches"), "train")
            self.training = False
            self.model.eval()
            with torch.no_grad():
                self.batches(self.dls.valid if known(self.dls) else data("batches"), "validate")
        except CancelEpochException:
            self("after_cancel_epoch")
        self("after_epoch")

    def batches(self, dl, kind):
        self.dl = dl
        self(f"before_{kind}")
        try:
            for i, b in enumerate(dl):
                self.one_batch(i, b)
        except (CancelTrainException, CancelValidException):
            self(f"after_cancel_{kind}")
        self(f"after_{kind}")

    def one_batch(self, i, b):
        self.iter = i
        if known(b) and isinstance(b, (tuple, list)):
            last = 1 if len(b) == 1 else len(b) - 1
            self.xb, self.yb = tuple(b[:last]), tuple(b[last:])
        else:
            self.xb, self.yb = (data("x"),), (data("y"),)
        self("before_batch")
        try:
            self.one_step()
        except CancelBatchException:
            self("after_cancel_batch")
        self("after_batch")

    def one_step(self):
        self.pred = self.model(*self.xb)
        self("after_pred")
        if len(self.yb):
            self.loss_grad = self.loss_func(self.pred, *self.yb)
            self.loss = self.loss_grad.clone()
        self("after_loss")
        if not self.training or not len(self.yb):
            return
        self("before_backward")
        try:
            self.loss_grad.backward()
        except CancelBackwardException:
            self("after_cancel_backward")
        self("after_backward")
        self("before_step")
        try:
            self.opt.step()
        except CancelStepException:
            self("after_cancel_step")
        self("after_step")
        self.opt.zero_grad()

    @property
    def x(self):
        return self.xb[0]

    @property
    def y(self):
        return self.yb[0]

    # -- what else it does -----------------------------------------------------------------------

    def validate(self, ds_idx=1, dl=None, cbs=None):
        self.model.eval()
        self.training = False
        with torch.no_grad():
            self.batches(data("batches") if dl is None else dl, "validate")
        return unknown("metrics")

    def get_preds(self, *args, **kwargs):
        return data("predictions"), data("targets")

    def predict(self, item, **kwargs):
        return unknown("decoded"), data("prediction"), data("probabilities")

    def lr_find(self, *args, **kwargs):
        return unknown("learning rates")

    def freeze(self):
        pass

    def unfreeze(self):
        pass

    def summary(self):
        pass

    def save(self, *args, **kwargs):
        pass

    def load(self, *args, **kwargs):
        return self

    def export(self, *args, **kwargs):
        pass

    def to_fp16(self, **kwargs):
        return self

    def to_fp32(self):
        return self

    @contextmanager
    def no_bar(self):
        yield

    @contextmanager
    def no_logging(self):
        yield

    @contextmanager
    def no_mbar(self):
        yield

    @contextmanager
    def added_cbs(self, cbs):
        self.add_cbs(cbs)
        yield
        self.remove_cbs(cbs)
