"""Lightning's trainer, modules, data modules and callbacks (`lightning/pytorch/{core,trainer,loops}`).

What only logs, saves files or moves tensors between devices is left out.

`Trainer.fit` sets up (`begin`), then runs epochs (`epoch`); each batch is a step of automatic optimization (`optimize`)
or a call of the program's `training_step`, with the hooks that the program defines in between (`hook`).
"""

import torch
from gradguard import arguments_of_caller, data, defined, known, takes, unknown
from torch import nn


def seed_everything(seed=None, workers=False, verbose=True):
    return seed


class Hooks:
    """The hooks of a module and of a data module; they do nothing unless overridden."""

    def prepare_data(self):
        pass

    def setup(self, stage):
        pass

    def teardown(self, stage):
        pass

    def on_before_batch_transfer(self, batch, dataloader_idx):
        return batch

    def transfer_batch_to_device(self, batch, device, dataloader_idx):
        return batch

    def on_after_batch_transfer(self, batch, dataloader_idx):
        return batch


class HyperparametersMixin:
    def save_hyperparameters(self, *args, ignore=None, frame=None, logger=True):
        given = arguments_of_caller()
        if args and not isinstance(args[0], str):
            given = args[0] if isinstance(args[0], dict) else vars(args[0])
        elif args:
            given = {name: given[name] for name in args}
        ignored = [ignore] if isinstance(ignore, str) else ignore or []
        hparams = AttributeDict()
        for name, value in given.items():
            if name not in ignored:
                hparams[name] = value
        self.hparams = hparams
        self.hparams_initial = hparams


class AttributeDict(dict):
    """A dict whose items are also attributes."""

    def __getattr__(self, name):
        if name not in self:
            raise AttributeError(name)
        return self[name]

    def __setattr__(self, name, value):
        self[name] = value


class LightningModule(Hooks, HyperparametersMixin, nn.Module):
    __entries__ = ("training_step", "validation_step", "test_step", "predict_step")

    def __init__(self, *args, **kwargs):
        super().__init__()
        self.automatic_optimization = True
        self.trainer = None

    def __train__(self, names):
        """Do what a trainer does, with unknown batches: how the module is called if the program doesn't show it."""
        trainer = Trainer()
        if "training_step" in names:
            trainer.fit(self)
        if "validation_step" in names:
            trainer.validate(self, data("batches"))
        if "test_step" in names:
            trainer.test(self)
        if "predict_step" in names:
            trainer.predict(self)

    # -- what it is ------------------------------------------------------------------------------

    @property
    def device(self):
        return unknown("device")

    @property
    def dtype(self):
        return torch.float32

    @property
    def current_epoch(self):
        return self.trainer.current_epoch if self.trainer is not None else 0

    @property
    def global_step(self):
        return self.trainer.global_step if self.trainer is not None else 0

    # -- for it to call --------------------------------------------------------------------------

    def log(self, name, value, *args, **kwargs):
        pass

    def log_dict(self, dictionary, *args, **kwargs):
        pass

    def print(self, *args, **kwargs):
        pass

    def all_gather(self, data, group=None, sync_grads=False):
        return data

    def optimizers(self, use_pl_optimizer=True):
        found = self.trainer.optimizers
        return found[0] if len(found) == 1 else found

    def lr_schedulers(self):
        found = self.trainer.lr_schedulers
        if not found:
            return None
        return found[0] if len(found) == 1 else found

    def manual_backward(self, loss, *args, **kwargs):
        self.trainer.run_backward(loss, *args, **kwargs)

    def clip_gradients(self, optimizer, gradient_clip_val=None, gradient_clip_algorithm=None):
        if gradient_clip_val is None:
            gradient_clip_val = self.trainer.gradient_clip_val
        if gradient_clip_val is None:
            return
        parameters = [p for group in optimizer.param_groups for p in group["params"]]
        if gradient_clip_algorithm == "value":
            nn.utils.clip_grad_value_(parameters, gradient_clip_val)
        else:
            nn.utils.clip_grad_norm_(parameters, gradient_clip_val)

    def toggle_optimizer(self, optimizer):
        self._toggled = {}
        for one in self.trainer.optimizers:
            for group in one.param_groups:
                for param in group["params"]:
                    if param not in self._toggled:
                        self._toggled[param] = param.requires_grad
                        param.requires_grad = False
        for group in optimizer.param_groups:
            for param in group["params"]:
                if param in self._toggled:
                    param.requires_grad = self._toggled[param]

    def untoggle_optimizer(self, optimizer):
        for param, required in self._toggled.items():
            param.requires_grad = required
        self._toggled = {}

    def toggled_optimizer(self, optimizer):
        return Toggled(self, optimizer)

    def freeze(self):
        for param in self.parameters():
            param.requires_grad = False
        self.eval()

    def unfreeze(self):
        for param in self.parameters():
            param.requires_grad = True
        self.train()

    # -- for it to define ------------------------------------------------------------------------

    def configure_model(self):
        pass

    def configure_callbacks(self):
        return []

    def configure_optimizers(self):
        return None

    def train_dataloader(self):
        return data("batches")

    def val_dataloader(self):
        return None

    def test_dataloader(self):
        return data("batches")

    def predict_dataloader(self):
        return data("batches")

    def predict_step(self, batch, batch_idx=0, dataloader_idx=0):
        return self(batch)

    def backward(self, loss, *args, **kwargs):
        loss.backward(*args, **kwargs)

    def optimizer_step(self, epoch, batch_idx, optimizer, optimizer_closure=None):
        optimizer.step(closure=optimizer_closure)

    def optimizer_zero_grad(self, epoch, batch_idx, optimizer):
        optimizer.zero_grad()

    def configure_gradient_clipping(self, optimizer, gradient_clip_val=None, gradient_clip_algorithm=None):
        self.clip_gradients(optimizer, gradient_clip_val, gradient_clip_algorithm)

    def lr_scheduler_step(self, scheduler, metric):
        pass

    def on_validation_model_eval(self):
        self.eval()

    def on_validation_model_train(self):
        self.train()

    def on_test_model_eval(self):
        self.eval()

    def on_predict_model_eval(self):
        self.eval()

    def on_validation_model_zero_grad(self):
        self.zero_grad()


class Toggled:
    """The context of `with module.toggled_optimizer(optimizer):`."""

    def __init__(self, module, optimizer):
        self.module = module
        self.optimizer = optimizer

    def __enter__(self):
        self.module.toggle_optimizer(self.optimizer)

    def __exit__(self, *error):
        self.module.untoggle_optimizer(self.optimizer)


class LightningDataModule(Hooks, HyperparametersMixin):
    def __init__(self):
        self.trainer = None

    def train_dataloader(self):
        return data("batches")

    def val_dataloader(self):
        return None

    def test_dataloader(self):
        return data("batches")

    def predict_dataloader(self):
        return data("batches")


class Callback:
    """The base of callbacks. It has no hooks: the trainer calls those that a subclass defines."""


class Trainer:
    def __init__(
        self,
        *,
        max_epochs=None,
        max_steps=-1,
        callbacks=None,
        gradient_clip_val=None,
        gradient_clip_algorithm=None,
        accumulate_grad_batches=1,
        inference_mode=True,
        num_sanity_val_steps=2,
        **others,
    ):
        self.max_epochs = max_epochs
        self.max_steps = max_steps
        self.callbacks = (
            [] if callbacks is None else list(callbacks) if isinstance(callbacks, (list, tuple)) else [callbacks]
        )
        self.gradient_clip_val = gradient_clip_val
        self.gradient_clip_algorithm = gradient_clip_algorithm
        self.accumulate_grad_batches = accumulate_grad_batches
        self.inference_mode = inference_mode
        self.num_sanity_val_steps = num_sanity_val_steps
        self.lightning_module = None
        self.datamodule = None
        self.optimizers = []
        self.lr_schedulers = []
        self.current_epoch = 0
        self.global_step = 0
        self.should_stop = False
        self.sanity_checking = False

    # -- what the program calls ------------------------------------------------------------------

    def fit(self, model, train_dataloaders=None, val_dataloaders=None, datamodule=None, **others):
        train, val = self.begin("fit", model, datamodule, train_dataloaders, val_dataloaders)
        self.set_up_optimizers(model)
        self.hook("on_fit_start")
        if self.num_sanity_val_steps != 0 and defined(model, "validation_step") and val is not None:
            self.sanity_checking = True
            self.validation(model, val)
            self.sanity_checking = False
        model.train()
        self.hook("on_train_start")
        epochs = 1 if self.max_epochs is None else self.max_epochs
        for epoch in range(epochs):
            self.current_epoch = epoch
            self.epoch(model, train, val)
        self.hook("on_train_end")
        self.hook("on_fit_end")
        self.hook("teardown", "fit")

    def validate(self, model=None, dataloaders=None, datamodule=None, **others):
        _, val = self.begin("validate", model, datamodule, None, dataloaders)
        with self.no_training():
            self.evaluation(self.lightning_module, val, "validation")
        self.hook("teardown", "validate")
        return unknown("metrics")

    def test(self, model=None, dataloaders=None, datamodule=None, **others):
        _, batches = self.begin("test", model, datamodule, None, dataloaders)
        with self.no_training():
            self.evaluation(self.lightning_module, batches, "test")
        self.hook("teardown", "test")
        return unknown("metrics")

    def predict(self, model=None, dataloaders=None, datamodule=None, **others):
        _, batches = self.begin("predict", model, datamodule, None, dataloaders)
        with self.no_training():
            outputs = self.evaluation(self.lightning_module, batches, "predict")
        self.hook("teardown", "predict")
        return outputs

    def save_checkpoint(self, *args, **kwargs):
        pass

    # -- how it goes -----------------------------------------------------------------------------

    def begin(self, stage, model, datamodule, train, val):
        """Set up, and return the batches to train and evaluate on: as passed, else the data module's or the model's."""
        if model is None:
            model = self.lightning_module
        self.lightning_module = self.model = model
        model.trainer = self
        if isinstance(train, LightningDataModule):
            train, datamodule = None, train
        if isinstance(val, LightningDataModule):
            val, datamodule = None, val
        source = model
        if datamodule is not None:
            source = self.datamodule = datamodule
            datamodule.trainer = self
            datamodule.prepare_data()
            datamodule.setup(stage)
        model.prepare_data()
        self.callbacks = self.callbacks + list(model.configure_callbacks())
        self.hook("setup", stage)
        model.configure_model()
        if stage == "fit" and train is None:
            train = source.train_dataloader()
        if val is None:
            if stage == "test":
                val = source.test_dataloader()
            elif stage == "predict":
                val = source.predict_dataloader()
            else:
                val = source.val_dataloader()
        return train, val

    def no_training(self):
        return torch.inference_mode() if self.inference_mode else torch.no_grad()

    def hook(self, name, *args):
        """Call a hook in each callback that defines it, then in the module, and return what the module's returns."""
        model = self.lightning_module
        for callback in self.callbacks:
            if defined(callback, name):
                getattr(callback, name)(self, model, *args)
        if defined(model, name):
            return getattr(model, name)(*args)
        return None

    def set_up_optimizers(self, model):
        found = model.configure_optimizers()
        schedulers = []
        if not known(found):
            self.optimizers, self.lr_schedulers = [found], []
            return
        if isinstance(found, (list, tuple)) and len(found) == 2 and isinstance(found[0], (list, tuple)):
            found, schedulers = found
        every = [] if found is None else list(found) if isinstance(found, (list, tuple)) else [found]
        self.optimizers, self.lr_schedulers = [], []
        for one in every:
            if isinstance(one, dict):
                if "lr_scheduler" in one:
                    self.lr_schedulers.append(scheduler_of(one["lr_scheduler"]))
                one = one["optimizer"]
            self.optimizers.append(one)
        for one in schedulers:
            self.lr_schedulers.append(scheduler_of(one))
        if not model.automatic_optimization:
            for one in self.optimizers:
                one.register_step_pre_hook(lambda optimizer, args, kwargs: self.before_step(optimizer))

    def before_step(self, optimizer):
        self.hook("on_before_optimizer_step", optimizer)

    def epoch(self, model, batches, val):
        self.hook("on_train_epoch_start")
        self.num_training_batches = len(batches) if hasattr(batches, "__len__") else unknown("the number of batches")
        for batch_idx, batch in enumerate(combined(batches)):
            batch = self.transferred(model, batch)
            self.hook("on_train_batch_start", batch, batch_idx)
            if model.automatic_optimization:
                outputs = self.optimize(model, batch, batch_idx)
            else:
                outputs = self.call_step(model.training_step, batch, batch_idx)
            self.global_step += 1
            self.hook("on_train_batch_end", outputs, batch, batch_idx)
        if defined(model, "validation_step") and val is not None:
            model.on_validation_model_zero_grad()
            self.validation(model, val)
        self.hook("on_train_epoch_end")

    def transferred(self, model, batch):
        source = model if self.datamodule is None else self.datamodule
        batch = source.on_before_batch_transfer(batch, 0)
        batch = source.transfer_batch_to_device(batch, model.device, 0)
        return source.on_after_batch_transfer(batch, 0)

    def call_step(self, step, batch, batch_idx):
        return step(batch, batch_idx) if takes(step, 2) else step(batch)

    def optimize(self, model, batch, batch_idx):
        """Optimize automatically: the optimizer's step runs forward and backward as its closure."""
        outputs = {}
        optimizer = self.optimizers[0] if self.optimizers else unknown("no optimizer")

        def step():
            output = self.call_step(model.training_step, batch, batch_idx)
            loss = output["loss"] if isinstance(output, dict) else output
            if isinstance(output, dict):
                outputs.update(output)
            if loss is None:
                return None
            if known(self.accumulate_grad_batches) and self.accumulate_grad_batches != 1:
                loss = loss / self.accumulate_grad_batches
            outputs["loss"] = loss.detach().clone()
            if batch_idx % self.accumulate_grad_batches == 0:
                self.hook("on_before_zero_grad", optimizer)
                model.optimizer_zero_grad(self.current_epoch, batch_idx, optimizer)
            self.run_backward(loss)
            return outputs["loss"]

        def step_and_clip():
            loss = step()
            self.hook("on_before_optimizer_step", optimizer)
            model.configure_gradient_clipping(optimizer, self.gradient_clip_val, self.gradient_clip_algorithm)
            return loss

        if not known(optimizer):
            step_and_clip()
        elif (batch_idx + 1) % self.accumulate_grad_batches == 0 or self.is_last(batch_idx):
            model.optimizer_step(self.current_epoch, batch_idx, optimizer, step_and_clip)
        else:
            step()
        return outputs

    def is_last(self, batch_idx):
        """Whether this is the last batch, after which the optimizer always steps."""
        return known(self.num_training_batches) and batch_idx + 1 == self.num_training_batches

    def run_backward(self, loss, *args, **kwargs):
        self.hook("on_before_backward", loss)
        self.lightning_module.backward(loss, *args, **kwargs)
        self.hook("on_after_backward")

    def validation(self, model, batches):
        """Validate inside `fit`: under `no_grad`, but not in inference mode."""
        with torch.no_grad():
            self.evaluation(model, batches, "validation")
        model.on_validation_model_train()

    def evaluation(self, model, batches, kind):
        if kind == "validation":
            model.on_validation_model_eval()
            step = model.validation_step
        elif kind == "test":
            model.on_test_model_eval()
            step = model.test_step
        else:
            model.on_predict_model_eval()
            step = model.predict_step
        outputs = []
        self.hook(f"on_{kind}_start")
        self.hook(f"on_{kind}_epoch_start")
        for batch_idx, batch in enumerate(combined(batches)):
            batch = self.transferred(model, batch)
            self.hook(f"on_{kind}_batch_start", batch, batch_idx, 0)
            output = self.call_step(step, batch, batch_idx)
            outputs.append(output)
            self.hook(f"on_{kind}_batch_end", output, batch, batch_idx, 0)
            if self.sanity_checking and batch_idx + 1 == self.num_sanity_val_steps:
                break
        self.hook(f"on_{kind}_epoch_end")
        self.hook(f"on_{kind}_end")
        return outputs


def scheduler_of(one):
    return one["scheduler"] if isinstance(one, dict) else one


def combined(batches):
    """The batches to iterate over, as they are: of Lightning's `CombinedLoader` nothing needs to be done."""
    return batches
