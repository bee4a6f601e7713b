import torch
from torch import nn


class Decoder(nn.Module):
    def __init__(self, beams=3, words=4):
        super().__init__()
        self.score = nn.Linear(2, words)
        self.beams = beams

    @torch.no_grad()
    def best(self, scores):
        row = scores.amax(dim=1).argmax()
        return scores[int(row)]

    def rescore(self, row, bonus):
        row = row + bonus * torch.eye(len(row))[0]
        return row

    def forward(self, states):
        scores = self.score(states)
        top = self.best(scores)
        return scores, self.rescore(top, bonus=0.5)


torch.manual_seed(0)
decoder = Decoder()
scores, top = decoder(torch.randn(3, 2))
(scores.logsumexp(1).mean() - top.max()).backward()
