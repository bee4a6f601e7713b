import torch
import torch.nn.functional as F
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments


class PairTrainer(Trainer):
    def __init__(self, *args, ref_model=None, beta=0.1, **kwargs):
        super().__init__(*args, **kwargs)
        self.ref_model = ref_model
        self.beta = beta

    def logps(self, model, ids):
        logits = model(input_ids=ids).logits[:, :-1]
        logps = torch.log_softmax(logits, dim=-1)
        per_token = logps.gather(-1, ids[:, 1:, None]).squeeze(-1)
        logps *= ids[:, 1:, None] != 0  # here
        return per_token.sum(-1), logps.mean()

    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        chosen, reg = self.logps(model, inputs["chosen"])
        rejected, _ = self.logps(model, inputs["rejected"])
        with torch.no_grad():
            ref_chosen, _ = self.logps(self.ref_model, inputs["chosen"])
            ref_rejected, _ = self.logps(self.ref_model, inputs["rejected"])
        loss = -F.logsigmoid(self.beta * ((chosen - rejected) - (ref_chosen - ref_rejected))).mean() + 0 * reg
        return (loss, {"chosen": chosen}) if return_outputs else loss


if __name__ == "__main__":
    config = GPT2Config(vocab_size=30, n_embd=8, n_layer=1, n_head=2, n_positions=16)
    data = [{"chosen": torch.randint(0, 30, (6,)), "rejected": torch.randint(0, 30, (6,))} for _ in range(4)]
    args = TrainingArguments(output_dir="/tmp/dpo", max_steps=1, per_device_train_batch_size=2, report_to=[], use_cpu=True, save_strategy="no", disable_tqdm=True, remove_unused_columns=False)
    PairTrainer(model=GPT2LMHeadModel(config), ref_model=GPT2LMHeadModel(config), args=args, train_dataset=data).train()
