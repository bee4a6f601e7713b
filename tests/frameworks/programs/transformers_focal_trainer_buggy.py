import torch
import torch.nn.functional as F
from torch.utils.data import Dataset
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments


class Toy(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, i):
        return {"input_ids": torch.randint(0, 40, (6,)), "attention_mask": torch.ones(6, dtype=torch.long), "labels": torch.tensor(i % 2)}


class FocalTrainer(Trainer):
    def __init__(self, *args, gamma=2.0, **kwargs):
        super().__init__(*args, **kwargs)
        self.gamma = gamma

    def compute_loss(self, model, inputs, return_outputs=False, **kwargs):
        labels = inputs.pop("labels")
        outputs = model(**inputs)
        ce = F.cross_entropy(outputs.logits, labels, reduction="none")
        pt = torch.exp(-ce)
        pt.clamp_(1e-4, 1 - 1e-4)  # here
        loss = ((1 - pt) ** self.gamma * ce).mean()
        return (loss, outputs) if return_outputs else loss


if __name__ == "__main__":
    config = BertConfig(vocab_size=40, hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16)
    args = TrainingArguments(output_dir="/tmp/focal", max_steps=1, per_device_train_batch_size=4, report_to=[], use_cpu=True, save_strategy="no", disable_tqdm=True)
    FocalTrainer(model=BertForSequenceClassification(config), args=args, train_dataset=Toy()).train()
