"""What `from fastai.basics import *` gives, as far as it concerns models and training."""

from functools import partial

import torch
import torch.nn.functional as F
from fastai.callback.core import *
from fastai.callback.core import Callback
from fastai.layers import *
from fastai.learner import *
from fastai.learner import Learner
from torch import nn, tensor
from torch.nn import BCEWithLogitsLoss, CrossEntropyLoss
