import torch
from torch import nn


class Reader(nn.Module):
    """Reads meter series of different lengths."""

    def __init__(self, inputs=2, hidden=3):
        super().__init__()
        self.rnn = nn.GRU(inputs, hidden, batch_first=True)
        self.out = nn.Linear(hidden, 1)

    def forward(self, series, lengths):
        hidden, _ = self.rnn(series)
        late = torch.arange(series.size(1))[None, :] >= lengths[:, None]
        hidden[late] = 0.0
        return self.out(hidden.sum(dim=1)).squeeze(-1)


torch.manual_seed(0)
reader = Reader()
optimizer = torch.optim.Adam(reader.parameters(), lr=1e-2)
for _ in range(2):
    series, lengths = torch.randn(3, 5, 2), torch.tensor([5, 2, 4])
    loss = (reader(series, lengths) - lengths).abs().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
