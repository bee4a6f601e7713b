import torch
import torch.nn.functional as F
from mmengine.model import BaseModel
from mmengine.optim import OptimWrapper
from torch import nn


class Classifier(BaseModel):
    def __init__(self, smoothing=0.1):
        super().__init__()
        self.smoothing = smoothing
        self.backbone = nn.Sequential(nn.Linear(6, 16), nn.ReLU(inplace=True), nn.Linear(16, 4))

    def forward(self, inputs, labels=None, mode="tensor"):
        logits = self.backbone(inputs)
        if mode == "loss":
            return self.loss(logits, labels)
        if mode == "predict":
            return logits.argmax(1)
        return logits

    def loss(self, logits, labels):
        log_probs = F.log_softmax(logits, dim=-1)
        nll = -log_probs.gather(1, labels[:, None]).mean()
        return dict(loss_nll=nll, loss_smooth=(log_probs * -self.smoothing).mean())


model = Classifier()
optim_wrapper = OptimWrapper(optimizer=torch.optim.SGD(model.parameters(), lr=0.1))
for _ in range(2):
    data = dict(inputs=torch.randn(3, 6), labels=torch.tensor([0, 1, 3]))
    with optim_wrapper.optim_context(model):
        losses = model(**data, mode="loss")
    parsed, log_vars = model.parse_losses(losses)
    optim_wrapper.update_params(parsed)
