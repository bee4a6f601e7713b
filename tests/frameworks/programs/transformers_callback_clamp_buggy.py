import torch
from torch import nn
from torch.utils.data import Dataset
from transformers import Trainer, TrainerCallback, TrainingArguments


class Regression(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, i):
        return {"x": torch.randn(5), "labels": torch.randn(1)}


class Monotone(nn.Module):
    def __init__(self):
        super().__init__()
        self.inp = nn.Linear(5, 8)
        self.out = nn.Linear(8, 1)

    def forward(self, x, labels=None):
        pred = self.out(torch.sigmoid(self.inp(x)))
        return {"loss": (pred - labels).square().mean(), "logits": pred}


class NonNegative(TrainerCallback):
    def on_optimizer_step(self, args, state, control, model=None, **kwargs):
        with torch.no_grad():
            model.out.weight.clamp_(min=0)


class ClampedTrainer(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        outputs = model(**inputs)
        loss = outputs["loss"]
        return (loss, outputs) if return_outputs else loss

    def training_step(self, model, inputs, num_items_in_batch=None):
        model.train()
        inputs = self._prepare_inputs(inputs)
        loss = self.compute_loss(model, inputs)
        with torch.no_grad():
            model.out.weight.clamp_(min=0)  # here
        self.accelerator.backward(loss)
        return loss.detach()


args = TrainingArguments(output_dir="/tmp/mono", max_steps=2, per_device_train_batch_size=4, report_to=[], use_cpu=True, save_strategy="no", disable_tqdm=True)
ClampedTrainer(model=Monotone(), args=args, train_dataset=Regression(), callbacks=[NonNegative()]).train()
