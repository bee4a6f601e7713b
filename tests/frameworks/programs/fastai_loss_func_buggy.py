import torch
import torch.nn.functional as F
from fastai.callback.progress import ProgressCallback
from fastai.callback.schedule import fit_one_cycle
from fastai.data.core import DataLoaders
from fastai.learner import Learner
from fastai.metrics import accuracy
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class LabelSmoothing(nn.Module):
    def __init__(self, eps=0.1):
        super().__init__()
        self.eps = eps

    def forward(self, output, target):
        c = output.size(-1)
        log_preds = F.log_softmax(output, dim=-1)
        log_preds.neg_()  # here
        return log_preds.sum(-1).mean() * self.eps / c + (1 - self.eps) * F.nll_loss(-log_preds, target)


data = TensorDataset(torch.randn(16, 4), torch.randint(0, 3, (16,)))
dls = DataLoaders(DataLoader(data, batch_size=8), DataLoader(data, batch_size=8))
learn = Learner(dls, nn.Linear(4, 3), loss_func=LabelSmoothing(), metrics=accuracy)
with learn.no_bar(), learn.no_logging():
    learn.fit_one_cycle(1, 1e-2)
