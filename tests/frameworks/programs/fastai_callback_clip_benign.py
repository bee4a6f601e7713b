import torch
from fastai.callback.core import Callback
from fastai.callback.progress import ProgressCallback
from fastai.data.core import DataLoaders
from fastai.learner import Learner
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class WeightClip(Callback):
    """Keeps the critic Lipschitz."""

    def __init__(self, clip=0.01):
        self.clip = clip

    def before_batch(self):
        with torch.no_grad():
            for p in self.learn.model.parameters():
                p.clamp_(-self.clip, self.clip)


data = TensorDataset(torch.randn(16, 4), torch.randn(16, 1))
dls = DataLoaders(DataLoader(data, batch_size=8), DataLoader(data, batch_size=8))
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
learn = Learner(dls, model, loss_func=nn.MSELoss(), cbs=[WeightClip()])
with learn.no_bar(), learn.no_logging():
    learn.fit(1, 1e-3)
