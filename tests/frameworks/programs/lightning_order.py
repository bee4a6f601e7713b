"""The order of what a trainer calls, with the modes that it calls it in."""

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

NAMES = """
    prepare_data setup on_fit_start on_fit_end on_train_start on_train_end on_train_epoch_start on_train_epoch_end
    on_train_batch_start on_train_batch_end on_before_zero_grad on_before_backward on_after_backward
    on_before_optimizer_step on_validation_start on_validation_end on_validation_epoch_start on_validation_epoch_end
    on_validation_batch_start on_validation_batch_end teardown on_test_start on_test_end on_test_epoch_start
    on_test_epoch_end on_test_batch_start on_test_batch_end
""".split()


def say(*what):
    grad = "grad" if torch.is_grad_enabled() else "inference" if torch.is_inference_mode_enabled() else "no_grad"
    print("TRACE", *what, grad)


class Recorder(L.Callback):
    pass


class Net(L.LightningModule):
    def __init__(self, manual=False):
        super().__init__()
        self.automatic_optimization = not manual
        self.layer = nn.Linear(2, 1)

    def version(self):
        return self.layer.weight._version

    def training_step(self, batch, batch_idx):
        say("training_step", batch_idx, self.training, self.version(), self.layer.weight.grad is None)
        loss = self.layer(batch[0]).mean()
        if not self.automatic_optimization:
            optimizer = self.optimizers()
            optimizer.zero_grad()
            self.manual_backward(loss)
            optimizer.step()
        return loss

    def validation_step(self, batch, batch_idx):
        say("validation_step", batch_idx, self.training)

    def test_step(self, batch, batch_idx):
        say("test_step", batch_idx, self.training)

    def predict_step(self, batch, batch_idx):
        say("predict_step", batch_idx, self.training)
        return batch[0]

    def backward(self, loss, *args, **kwargs):
        say("backward")
        loss.backward(*args, **kwargs)

    def optimizer_step(self, epoch, batch_idx, optimizer, optimizer_closure=None):
        say("optimizer_step", epoch, batch_idx)
        optimizer.step(closure=optimizer_closure)
        say("stepped", self.version())

    def configure_gradient_clipping(self, optimizer, gradient_clip_val=None, gradient_clip_algorithm=None):
        say("clipping", gradient_clip_val)

    def configure_optimizers(self):
        say("configure_optimizers")
        return torch.optim.SGD(self.parameters(), lr=0.1)


def recorded(owner, name):
    def hook(self, *args, **kwargs):
        say(owner, name)

    return hook


for name in NAMES:
    setattr(Net, name, recorded("module", name))
    if name != "prepare_data":
        setattr(Recorder, name, recorded("callback", name))

if __name__ == "__main__":
    loader = DataLoader(TensorDataset(torch.ones(6, 2)), batch_size=2)
    for manual in (False, True):
        for every in (1, 2):
            if manual and every == 2:
                continue
            trainer = L.Trainer(max_epochs=2, accelerator="cpu", logger=False, enable_checkpointing=False,
                                enable_progress_bar=False, enable_model_summary=False, callbacks=[Recorder()],
                                accumulate_grad_batches=every)
            net = Net(manual)
            trainer.fit(net, loader, loader)
            trainer.test(net, loader)
            trainer.predict(net, loader)
