import tempfile

import torch
from transformers import GPT2Config, GPT2ForSequenceClassification, Trainer, TrainingArguments


class FocalTrainer(Trainer):
    def __init__(self, *args, gamma=2.0, **kwargs):
        super().__init__(*args, **kwargs)
        self.gamma = gamma

    def compute_loss(self, model, inputs, return_outputs=False, **kwargs):
        labels = inputs.pop("labels")
        outputs = model(**inputs)
        probs = torch.softmax(outputs.logits, dim=-1)
        probs = probs + 1e-8
        p = probs.gather(1, labels.unsqueeze(1)).squeeze(1)
        loss = (-(1 - p) ** self.gamma * p.log()).mean()
        return (loss, outputs) if return_outputs else loss


class Examples(torch.utils.data.Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, i):
        return {"input_ids": torch.arange(1, 6), "labels": i % 2}


if __name__ == "__main__":
    config = GPT2Config(vocab_size=10, n_positions=8, n_embd=8, n_layer=1, n_head=2, num_labels=2, pad_token_id=0)
    args = TrainingArguments(output_dir=tempfile.gettempdir(), max_steps=2, per_device_train_batch_size=2, report_to="none",
                             use_cpu=True, save_strategy="no", disable_tqdm=True, remove_unused_columns=False)
    FocalTrainer(model=GPT2ForSequenceClassification(config), args=args, train_dataset=Examples()).train()
