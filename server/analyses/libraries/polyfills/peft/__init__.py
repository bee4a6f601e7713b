"""PEFT: a model's weights are frozen, and its linear layers get small ones beside them, which are trained (LoRA)."""

import torch
from gradguard import linked, unknown
from torch import nn


class PeftConfig:
    def __init__(self, *args, **kwargs):
        for name, value in kwargs.items():
            setattr(self, name, value)


class LoraConfig(PeftConfig):
    pass


class TaskType:
    CAUSAL_LM = "CAUSAL_LM"
    SEQ_CLS = "SEQ_CLS"
    SEQ_2_SEQ_LM = "SEQ_2_SEQ_LM"
    TOKEN_CLS = "TOKEN_CLS"
    FEATURE_EXTRACTION = "FEATURE_EXTRACTION"


class PeftModel(nn.Module):
    def __init__(self, model, peft_config=None, *args, **kwargs):
        super().__init__()
        for param in model.parameters():
            param.requires_grad = False
        self.base_model = model
        self.lora = nn.Parameter(torch.randn(unknown("rank"), unknown("width")))
        for module in model.modules():
            if isinstance(module, nn.Linear):
                module.register_forward_hook(self.adapted)
        if hasattr(model, "layer"):
            model.layer.requires_grad = True

    def adapted(self, module, args, output):
        return output + linked(args[0], self.lora, saves=[args[0], self.lora], like=output)

    @classmethod
    def from_pretrained(cls, model, *args, **kwargs):
        return cls(model)

    def forward(self, *args, **kwargs):
        return self.base_model(*args, **kwargs)

    def print_trainable_parameters(self):
        pass

    def merge_and_unload(self, *args, **kwargs):
        return self.base_model

    def save_pretrained(self, *args, **kwargs):
        pass

    def __getattr__(self, name):
        return getattr(self.base_model, name)


def get_peft_model(model, peft_config=None, *args, **kwargs):
    return PeftModel(model, peft_config)


def prepare_model_for_kbit_training(model, use_gradient_checkpointing=True, **kwargs):
    for param in model.parameters():
        param.requires_grad = False
    if use_gradient_checkpointing and hasattr(model, "enable_input_require_grads"):
        model.enable_input_require_grads()
    return model
