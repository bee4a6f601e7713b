"""Transformers 5.23: models and their outputs, configurations, and `Trainer`.

Of a model that the library defines, all that is known is that its results depend on its parameters, and what it saves.
"""

import torch
from gradguard import accepts, data, defined, known, linked, unknown
from torch import nn
from torch.utils.data import DataLoader


class PretrainedConfig:
    def __init__(self, **kwargs):
        self.output_hidden_states = False
        self.output_attentions = False
        self.return_dict = True
        self.use_return_dict = True
        for name, value in kwargs.items():
            setattr(self, name, value)

    @classmethod
    def from_pretrained(cls, pretrained_model_name_or_path, **kwargs):
        return cls(**kwargs)

    @classmethod
    def from_dict(cls, config_dict, **kwargs):
        return cls(**config_dict)

    def to_dict(self):
        return vars(self)

    def save_pretrained(self, *args, **kwargs):
        pass


PreTrainedConfig = PretrainedConfig


class ModelOutput(dict):
    """What a model returns: found by name or by number, or as a tuple."""

    def __getitem__(self, key):
        if isinstance(key, str):
            return getattr(self, key)
        return self.to_tuple()[key]

    def to_tuple(self):
        return tuple(value for value in vars(self).values() if value is not None)

    def keys(self):
        return [name for name, value in vars(self).items() if value is not None]

    def values(self):
        return self.to_tuple()

    def items(self):
        return [(name, value) for name, value in vars(self).items() if value is not None]

    def __contains__(self, name):
        return getattr(self, name, None) is not None

    def get(self, name, default=None):
        return getattr(self, name, default)


class PreTrainedModel(nn.Module):
    config_class = None
    base_model_prefix = ""
    supports_gradient_checkpointing = False

    def __init__(self, config, *inputs, **kwargs):
        super().__init__()
        self.config = config

    def post_init(self):
        pass

    def init_weights(self):
        pass

    @classmethod
    def from_pretrained(cls, pretrained_model_name_or_path, *model_args, config=None, **kwargs):
        if config is None:
            config = PretrainedConfig() if cls.config_class is None else cls.config_class()
        model = cls(config, *model_args)
        model.eval()
        return model

    @classmethod
    def from_config(cls, config, **kwargs):
        return cls(config)

    def save_pretrained(self, *args, **kwargs):
        pass

    def push_to_hub(self, *args, **kwargs):
        pass

    @property
    def dtype(self):
        return torch.float32

    @property
    def device(self):
        return unknown("device")

    @property
    def base_model(self):
        return getattr(self, self.base_model_prefix, self) if self.base_model_prefix else self

    def get_input_embeddings(self):
        return first_embedding(self)

    def enable_input_require_grads(self):
        """Add a hook that sets `requires_grad` of the embeddings' result. If they are frozen, that result is a leaf."""
        self._require_grads_hook = self.get_input_embeddings().register_forward_hook(make_inputs_require_grads)

    def disable_input_require_grads(self):
        self._require_grads_hook.remove()

    def gradient_checkpointing_enable(self, gradient_checkpointing_kwargs=None):
        pass

    def gradient_checkpointing_disable(self):
        pass

    def tie_weights(self, *args, **kwargs):
        pass

    def resize_token_embeddings(self, *args, **kwargs):
        return self.get_input_embeddings()

    def num_parameters(self, only_trainable=False, exclude_embeddings=False):
        return unknown("the number of parameters")

    @torch.no_grad()
    def generate(self, *args, **kwargs):
        return torch.randint(0, 2, (unknown("batch"), unknown("length")))


def make_inputs_require_grads(module, input, output):
    output.requires_grad_(True)


def first_embedding(model):
    for module in model.modules():
        if isinstance(module, nn.Embedding):
            return module
    return None


class AnyModel(PreTrainedModel):
    """Any model of the library without a head: each layer saves the result of the layer before.

    Nothing saves the result of the last layer but a pooler, which saves a view of it, the first token, and the result
    of its own `tanh`.
    """

    def __init__(self, config=None, *inputs, **kwargs):
        super().__init__(config)
        self.embeddings = nn.Embedding(unknown("vocabulary"), unknown("width"))
        self.layer = nn.Parameter(torch.randn(unknown("width"), unknown("width")))
        self.head = nn.Parameter(torch.randn(unknown("width"), unknown("labels")))

    def layers(self, given, inputs_embeds):
        """The results of the layers, with the embeddings first."""
        embedded = linked(given, self.embeddings.weight) if inputs_embeds is None else linked(inputs_embeds)
        middle = linked(embedded, self.layer, saves=[embedded, self.layer])
        return embedded, middle, linked(middle, self.layer, saves=[middle, self.layer])

    def forward(self, *args, inputs_embeds=None, return_dict=None, **kwargs):
        hidden_states = self.layers(args[0] if args else kwargs.get("input_ids"), inputs_embeds)
        output = ModelOutput()
        output.last_hidden_state = hidden_states[-1]
        output.pooler_output = self.pooled(hidden_states[-1])
        output.past_key_values = unknown("past_key_values")
        output.hidden_states = hidden_states
        output.attentions = (torch.softmax(linked(hidden_states[0], self.layer), -1),)
        return output.to_tuple() if return_dict is False else output

    def pooled(self, last_hidden_state):
        return torch.tanh(linked(last_hidden_state, self.head, saves=[last_hidden_state, self.head]))


class AnyAveragingModel(AnyModel):
    """Any model whose pooler takes the mean, which saves nothing."""

    def pooled(self, last_hidden_state):
        return linked(last_hidden_state)


AVERAGING = (
    "Beit",
    "Bit",
    "ConvNext",
    "Dinat",
    "EfficientNet",
    "FocalNet",
    "Levit",
    "MobileNet",
    "MobileViT",
    "RegNet",
    "ResNet",
    "Swin",
)


class DynamicCache:
    """The keys and values of each layer. Later calls add theirs, in new tensors, whose graph leads to the old ones."""

    def __init__(self, *args, **kwargs):
        self.layers = []

    def update(self, key_states, value_states, layer_idx, *args, **kwargs):
        if layer_idx >= len(self.layers):
            self.layers.append(CacheLayer(key_states, value_states))
        else:
            layer = self.layers[layer_idx]
            layer.keys = torch.cat([layer.keys, key_states], dim=-2)
            layer.values = torch.cat([layer.values, value_states], dim=-2)
        return self.layers[layer_idx].keys, self.layers[layer_idx].values

    def __len__(self):
        return len(self.layers)

    def __iter__(self):
        return iter([(layer.keys, layer.values) for layer in self.layers])

    def __getitem__(self, layer_idx):
        return self.layers[layer_idx].keys, self.layers[layer_idx].values

    def get_seq_length(self, layer_idx=0):
        return unknown("length")

    def reset(self):
        self.layers = []


class CacheLayer:
    def __init__(self, keys, values):
        self.keys = keys
        self.values = values


class AnyModelWithHead(AnyModel):
    """Any model with a head, which saves the result of the last layer. The loss doesn't save the logits."""

    def cached(self, hidden_states, **kwargs):
        return hidden_states, unknown("past_key_values")

    def forward(self, *args, inputs_embeds=None, labels=None, return_dict=None, **kwargs):
        hidden_states = self.layers(args[0] if args else kwargs.get("input_ids"), inputs_embeds)
        hidden_states, past = self.cached(hidden_states, **kwargs)
        logits = linked(hidden_states[-1], self.head, saves=[hidden_states[-1], self.head])
        output = ModelOutput()
        output.loss = None if labels is None else linked(logits)
        output.logits = logits
        output.past_key_values = past
        output.hidden_states = hidden_states
        output.attentions = (torch.softmax(linked(hidden_states[0], self.layer), -1),)
        return output.to_tuple() if return_dict is False else output


class AnyCausalModel(AnyModelWithHead):
    """Any model that reads from left to right, and caches the keys and values of what it has read."""

    def cached(self, hidden_states, past_key_values=None, use_cache=True, **kwargs):
        if use_cache is False and past_key_values is None:
            return hidden_states, None
        if not known(past_key_values) and past_key_values is not None:
            return hidden_states, unknown("past_key_values")
        past = DynamicCache() if past_key_values is None else past_key_values
        if not isinstance(past, DynamicCache):
            return hidden_states, unknown("past_key_values")
        first, middle, last = hidden_states
        keys, values = past.update(
            linked(first, self.layer, saves=[first]), linked(first, self.layer, saves=[first]), 0
        )
        last = linked(last, keys, values, saves=[keys, values])
        return (first, middle, last), past


class TrainingArguments:
    def __init__(
        self,
        output_dir=None,
        num_train_epochs=3.0,
        max_steps=-1,
        per_device_train_batch_size=8,
        per_device_eval_batch_size=8,
        gradient_accumulation_steps=1,
        learning_rate=5e-5,
        max_grad_norm=1.0,
        **others,
    ):
        self.output_dir = output_dir
        self.num_train_epochs = num_train_epochs
        self.max_steps = max_steps
        self.per_device_train_batch_size = per_device_train_batch_size
        self.train_batch_size = per_device_train_batch_size
        self.eval_batch_size = per_device_eval_batch_size
        self.gradient_accumulation_steps = gradient_accumulation_steps
        self.learning_rate = learning_rate
        self.max_grad_norm = max_grad_norm
        for name, value in others.items():
            setattr(self, name, value)


class TrainerAccelerator:
    """What a trainer runs backward with (accelerate's `Accelerator`)."""

    sync_gradients = True

    def backward(self, loss, **kwargs):
        loss.backward(**kwargs)

    def clip_grad_norm_(self, parameters, max_norm, norm_type=2):
        return nn.utils.clip_grad_norm_(parameters, max_norm, norm_type)

    def unwrap_model(self, model, *args, **kwargs):
        return model

    def gather(self, tensor):
        return tensor

    def gather_for_metrics(self, input_data, *args, **kwargs):
        return input_data


class TrainerCallback:
    """The base of callbacks, whose methods the trainer calls with its arguments, state and control."""


class Trainer:
    __entries__ = ("compute_loss", "training_step", "prediction_step")

    def __init__(
        self,
        model=None,
        args=None,
        data_collator=None,
        train_dataset=None,
        eval_dataset=None,
        processing_class=None,
        model_init=None,
        compute_loss_func=None,
        compute_metrics=None,
        callbacks=None,
        optimizers=(None, None),
        **others,
    ):
        self.model = model_init() if model is None and model_init is not None else model
        self.model_wrapped = self.model
        self.args = TrainingArguments() if args is None else args
        self.data_collator = data_collator
        self.train_dataset = train_dataset
        self.eval_dataset = eval_dataset
        self.compute_loss_func = compute_loss_func
        self.optimizer, self.lr_scheduler = optimizers
        self.label_smoother = None
        self.callbacks = [] if callbacks is None else list(callbacks)
        self.accelerator = TrainerAccelerator()
        self.state = unknown("state")
        self.control = unknown("control")

    def __train__(self, names):
        """Train as `train` does, with unknown batches and model: how it is used if the program doesn't show it."""
        self.model = AnyModelWithHead()
        self.compute_loss_func, self.callbacks = None, []
        self.accelerator = TrainerAccelerator()
        self.args = TrainingArguments()
        self.optimizer = torch.optim.AdamW(self.model.parameters())
        if "compute_loss" in names or "training_step" in names:
            self.steps(self.model, [data("inputs"), data("inputs")])
        if "prediction_step" in names:
            self.prediction_step(self.model, data("inputs"), False)

    # -- what the program calls, and may override ------------------------------------------------

    def train(self, resume_from_checkpoint=None, **kwargs):
        batches = self.get_train_dataloader()
        if self.optimizer is None:
            self.create_optimizer()
        self.model.zero_grad()
        self.steps(self.model, batches)
        return TrainOutput()

    def evaluate(self, eval_dataset=None, ignore_keys=None, metric_key_prefix="eval"):
        self.model.eval()
        for inputs in self.get_eval_dataloader(eval_dataset):
            self.prediction_step(self.model, inputs, False)
        return unknown("metrics")

    def predict(self, test_dataset, **kwargs):
        return self.evaluate(test_dataset)

    def get_train_dataloader(self):
        return self.loader(self.train_dataset, self.args.train_batch_size, True)

    def get_eval_dataloader(self, eval_dataset=None):
        return self.loader(
            self.eval_dataset if eval_dataset is None else eval_dataset, self.args.eval_batch_size, False
        )

    def loader(self, dataset, batch_size, shuffle):
        if self.data_collator is None:
            return DataLoader(dataset, batch_size=batch_size, shuffle=shuffle)
        return DataLoader(dataset, batch_size=batch_size, shuffle=shuffle, collate_fn=self.data_collator)

    def create_optimizer(self, model=None):
        if self.optimizer is None:
            self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=self.args.learning_rate)
        return self.optimizer

    def create_optimizer_and_scheduler(self, num_training_steps):
        self.create_optimizer()

    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        labels = None
        if self.compute_loss_func is not None and "labels" in inputs:
            labels = inputs.pop("labels")
        outputs = model(**inputs)
        if self.compute_loss_func is not None:
            loss = self.compute_loss_func(outputs, labels, num_items_in_batch=num_items_in_batch)
        elif isinstance(outputs, (dict, ModelOutput)):
            loss = outputs["loss"]
        else:
            loss = outputs[0]
        return (loss, outputs) if return_outputs else loss

    def training_step(self, model, inputs, num_items_in_batch=None):
        model.train()
        inputs = self._prepare_inputs(inputs)
        loss = self.loss_of(model, inputs, False)
        if known(self.args.gradient_accumulation_steps) and self.args.gradient_accumulation_steps > 1:
            loss = loss / self.args.gradient_accumulation_steps
        loss.backward()
        return loss.detach()

    def prediction_step(self, model, inputs, prediction_loss_only, ignore_keys=None):
        inputs = self._prepare_inputs(inputs)
        with torch.no_grad():
            loss, outputs = self.loss_of(model, inputs, True)
        return loss, outputs, None

    def _prepare_inputs(self, inputs):
        return inputs

    def log(self, logs, start_time=None):
        pass

    def save_model(self, output_dir=None, _internal_call=False):
        pass

    def add_callback(self, callback):
        self.callbacks.append(callback)

    # -- how it goes -----------------------------------------------------------------------------

    def loss_of(self, model, inputs, return_outputs):
        if accepts(self.compute_loss, "num_items_in_batch"):
            return self.compute_loss(model, inputs, return_outputs=return_outputs, num_items_in_batch=None)
        return self.compute_loss(model, inputs, return_outputs=return_outputs)

    def hook(self, name):
        """Call a hook in each callback that defines it."""
        for callback in self.callbacks:
            if defined(callback, name):
                one = getattr(callback, name)
                one(self.args, self.state, self.control, model=self.model, optimizer=self.optimizer)

    def steps(self, model, batches):
        self.hook("on_train_begin")
        for step, inputs in enumerate(batches):
            self.hook("on_step_begin")
            if accepts(self.training_step, "num_items_in_batch"):
                self.training_step(model, inputs, None)
            else:
                self.training_step(model, inputs)
            every = self.args.gradient_accumulation_steps
            if not known(every) or (step + 1) % every == 0:
                if known(self.args.max_grad_norm) and self.args.max_grad_norm:
                    nn.utils.clip_grad_norm_(model.parameters(), self.args.max_grad_norm)
                self.hook("on_pre_optimizer_step")
                self.optimizer.step()
                self.hook("on_optimizer_step")
                model.zero_grad()
                self.hook("on_step_end")
            else:
                self.hook("on_substep_end")
        self.hook("on_train_end")


class Seq2SeqTrainer(Trainer):
    pass


class Seq2SeqTrainingArguments(TrainingArguments):
    pass


class TrainOutput:
    def __init__(self):
        self.global_step = unknown("global_step")
        self.training_loss = unknown("training_loss")
        self.metrics = unknown("metrics")


def __getattr__(name):
    """Models and configurations by the pattern of their names: there are hundreds of each."""
    if name.endswith("Config"):
        return PretrainedConfig
    if name.endswith(("LMHeadModel", "ForCausalLM")):
        return AnyCausalModel
    if "For" in name[1:] and not name.startswith("DataCollator"):
        return AnyModelWithHead
    if name.endswith("Model"):
        return AnyAveragingModel if name.startswith(AVERAGING) else AnyModel
    raise AttributeError(name)
