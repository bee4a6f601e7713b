"""The events of a fit in their order, with the grad mode, what layers keep, and that a step is not counted."""

import torch
from fastai.callback.core import Callback
from fastai.callback.progress import ProgressCallback
from fastai.data.core import DataLoaders
from fastai.layers import ConvLayer, NormType, ResBlock, SigmoidRange
from fastai.learner import Learner
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

EVENTS = (
    "before_fit before_epoch before_train before_batch after_pred after_loss before_backward after_backward before_step"
    " after_step after_batch after_train before_validate after_validate after_epoch after_fit"
).split()


class Tell(Callback):
    pass


def teller(event):
    def tell(self):
        weight = self.learn.model[0].weight
        grad = None if weight.grad is None else weight.grad._version
        print("TRACE", event, torch.is_grad_enabled(), self.training, weight._version, weight.grad is None)

    return tell


for event in EVENTS:
    setattr(Tell, event, teller(event))


def kept(call, *shapes):
    found = []
    for i in range(len(shapes) + 1):
        given = [torch.rand(shape, requires_grad=True) * 1 for shape in shapes]
        result = call(*given)
        with torch.no_grad():
            (given[i] if i < len(given) else result).add_(0)
        try:
            result.sum().backward()
            found.append(False)
        except RuntimeError as error:
            assert "modified by an inplace" in str(error)
            found.append(True)
    return found


data = TensorDataset(torch.randn(4, 3), torch.randn(4, 1))
dls = DataLoaders(DataLoader(data, batch_size=2), DataLoader(data, batch_size=2))
learn = Learner(dls, nn.Sequential(nn.Linear(3, 1)), loss_func=nn.MSELoss(), cbs=[Tell()])
with learn.no_bar(), learn.no_logging():
    learn.fit(1, 0.1)
X = (2, 4, 8, 8)
print("TRACE conv", kept(ConvLayer(4, 4), X), kept(ConvLayer(4, 4, act_cls=None), X))
print("TRACE conv norm last", kept(ConvLayer(4, 4, bn_1st=False), X), kept(ConvLayer(4, 4, norm_type=None), X))
print("TRACE res", kept(ResBlock(1, 4, 4), X), kept(ResBlock(1, 4, 8, stride=2), X), kept(SigmoidRange(0, 5), X))
