import pytorch_lightning as pl
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class CharLM(pl.LightningModule):
    def __init__(self, vocab=20, hidden=16, tbptt=4):
        super().__init__()
        self.automatic_optimization = False
        self.tbptt = tbptt
        self.embed = nn.Embedding(vocab, hidden)
        self.rnn = nn.LSTM(hidden, hidden, batch_first=True)
        self.head = nn.Linear(hidden, vocab)

    def training_step(self, batch, batch_idx):
        (tokens,) = batch
        opt = self.optimizers()
        hidden = None
        for chunk in tokens.split(self.tbptt, dim=1):
            out, hidden = self.rnn(self.embed(chunk[:, :-1]), hidden)
            logits = self.head(out)
            loss = nn.functional.cross_entropy(logits.flatten(0, 1), chunk[:, 1:].flatten())
            opt.zero_grad()
            self.manual_backward(loss)
            self.clip_gradients(opt, gradient_clip_val=1.0, gradient_clip_algorithm="norm")
            opt.step()
            hidden = tuple(h.detach() for h in hidden)
        self.log("loss", loss)

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=1e-3)


if __name__ == "__main__":
    data = TensorDataset(torch.randint(0, 20, (8, 12)))
    trainer = pl.Trainer(max_epochs=1, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False)
    trainer.fit(CharLM(), DataLoader(data, batch_size=4))
