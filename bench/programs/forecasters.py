"""Networks that continue a series. What they share is in their base; each has its own way to read the past."""

import torch
import torch.nn.functional as F
from torch import nn


class Forecaster(nn.Module):
    """Scales a series by its own past, reads it, and says how it goes on."""

    def __init__(self, channels: int = 1, hidden: int = 64, past: int = 96, future: int = 24, drop: float = 0.1):
        super().__init__()
        self.channels = channels
        self.hidden = hidden
        self.past = past
        self.future = future
        self.embed = nn.Linear(channels, hidden)
        self.position = nn.Parameter(torch.zeros(past, hidden))
        self.drop = nn.Dropout(drop)
        self.norm = nn.LayerNorm(hidden)
        self.head = nn.Linear(hidden, future * channels)
        self.build()

    def build(self) -> None:
        """Make what `read` needs."""
        raise NotImplementedError

    def read(self, x: torch.Tensor) -> torch.Tensor:
        """From the past, embedded, to one vector of each series."""
        raise NotImplementedError

    def scale(self, series: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        mean = series.mean(dim=1, keepdim=True)
        std = series.std(dim=1, keepdim=True) + 1e-5
        return (series - mean) / std, mean, std

    def forward(self, series: torch.Tensor) -> torch.Tensor:
        scaled, mean, std = self.scale(series)
        x = self.embed(scaled) + self.position
        x = self.read(self.drop(x))
        x = self.head(self.norm(x))
        x = x.view(-1, self.future, self.channels)
        return x * std + mean

    def loss(self, series: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        return F.smooth_l1_loss(self(series), target)


class LastForecaster(Forecaster):
    def build(self) -> None:
        self.layer = nn.Linear(self.hidden, self.hidden)

    def read(self, x: torch.Tensor) -> torch.Tensor:
        return F.gelu(self.layer(x[:, -1]))


class MeanForecaster(Forecaster):
    def build(self) -> None:
        self.layer = nn.Linear(self.hidden, self.hidden)

    def read(self, x: torch.Tensor) -> torch.Tensor:
        return F.gelu(self.layer(x)).mean(dim=1)


class MaxForecaster(Forecaster):
    def build(self) -> None:
        self.layer = nn.Linear(self.hidden, self.hidden)

    def read(self, x: torch.Tensor) -> torch.Tensor:
        return F.gelu(self.layer(x)).amax(dim=1)


class LinearForecaster(Forecaster):
    def build(self) -> None:
        self.weights = nn.Linear(self.past, 1)

    def read(self, x: torch.Tensor) -> torch.Tensor:
        return self.weights(x.transpose(1, 2)).squeeze(-1)


class DenseForecaster(Forecaster):
    def build(self) -> None:
        self.first = nn.Linear(self.past * self.hidden, self.hidden)
        self.second = nn.Linear(self.hidden, self.hidden)

    def read(self, x: torch.Tensor) -> torch.Tensor:
        return self.second(F.relu(self.first(x.flatten(1))))


class RnnForecaster(Forecaster):
    def build(self) -> None:
        self.rnn = nn.RNN(self.hidden, self.hidden, batch_first=True)

    def read(self, x: torch.Tensor) -> torch.Tensor:
        out, _ = self.rnn(x)
        return out[:, -1]


class GruForecaster(Forecaster):
    def build(self) -> None:
        self.rnn = nn.GRU(self.hidden, self.hidden, num_layers=2, batch_first=True)

    def read(self, x: torch.Tensor) -> torch.Tensor:
        out, _ = self.rnn(x)
        return out[:, -1]


class LstmForecaster(Forecaster):
    def build(self) -> None:
        self.rnn = nn.LSTM(self.hidden, self.hidden, batch_first=True)

    def read(self, x: torch.Tensor) -> torch.Tensor:
        _, (hidden, _) = self.rnn(x)
        return hidden[-1]


class TwoWayForecaster(Forecaster):
    def build(self) -> None:
        self.rnn = nn.GRU(self.hidden, self.hidden // 2, batch_first=True, bidirectional=True)

    def read(self, x: torch.Tensor) -> torch.Tensor:
        out, _ = self.rnn(x)
        return out.mean(dim=1)


class CellForecaster(Forecaster):
    """Goes through the past by hand."""

    def build(self) -> None:
        self.cell = nn.GRUCell(self.hidden, self.hidden)

    def read(self, x: torch.Tensor) -> torch.Tensor:
        state = x.new_zeros(x.shape[0], self.hidden)
        for step in x.unbind(1):
            state = self.cell(step, state)
        return state


class ConvForecaster(Forecaster):
    def build(self) -> None:
        self.conv = nn.Conv1d(self.hidden, self.hidden, 5, padding=2)

    def read(self, x: torch.Tensor) -> torch.Tensor:
        return F.gelu(self.conv(x.transpose(1, 2))).mean(dim=-1)


class DilatedForecaster(Forecaster):
    def build(self) -> None:
        self.convs = nn.ModuleList(
            nn.Conv1d(self.hidden, self.hidden, 3, padding=2**i, dilation=2**i) for i in range(5)
        )

    def read(self, x: torch.Tensor) -> torch.Tensor:
        x = x.transpose(1, 2)
        for conv in self.convs:
            x = x + F.gelu(conv(x))
        return x[..., -1]


class CausalForecaster(Forecaster):
    def build(self) -> None:
        self.convs = nn.ModuleList(nn.Conv1d(self.hidden, self.hidden, 3, dilation=2**i) for i in range(4))

    def read(self, x: torch.Tensor) -> torch.Tensor:
        x = x.transpose(1, 2)
        for i, conv in enumerate(self.convs):
            x = x + torch.tanh(conv(F.pad(x, (2 ** (i + 1), 0))))
        return x[..., -1]


class GatedForecaster(Forecaster):
    def build(self) -> None:
        self.value = nn.Conv1d(self.hidden, self.hidden, 3, padding=1)
        self.gate = nn.Conv1d(self.hidden, self.hidden, 3, padding=1)

    def read(self, x: torch.Tensor) -> torch.Tensor:
        x = x.transpose(1, 2)
        return (self.value(x) * torch.sigmoid(self.gate(x))).mean(dim=-1)


class PoolForecaster(Forecaster):
    """Weighs the past by what it says."""

    def build(self) -> None:
        self.score = nn.Linear(self.hidden, 1)

    def read(self, x: torch.Tensor) -> torch.Tensor:
        weights = self.score(x).softmax(dim=1)
        return (weights * x).sum(dim=1)


class AttentionForecaster(Forecaster):
    def build(self) -> None:
        self.attention = nn.MultiheadAttention(self.hidden, 4, batch_first=True)

    def read(self, x: torch.Tensor) -> torch.Tensor:
        out, _ = self.attention(x, x, x, need_weights=False)
        return (x + out).mean(dim=1)


class TransformerForecaster(Forecaster):
    def build(self) -> None:
        layer = nn.TransformerEncoderLayer(self.hidden, 4, 4 * self.hidden, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 3)

    def read(self, x: torch.Tensor) -> torch.Tensor:
        return self.encoder(x)[:, -1]


class MixerForecaster(Forecaster):
    def build(self) -> None:
        self.along = nn.Linear(self.past, self.past)
        self.across = nn.Linear(self.hidden, self.hidden)

    def read(self, x: torch.Tensor) -> torch.Tensor:
        x = x + F.gelu(self.along(x.transpose(1, 2))).transpose(1, 2)
        x = x + F.gelu(self.across(x))
        return x.mean(dim=1)


class FourierForecaster(Forecaster):
    def build(self) -> None:
        self.weight = nn.Parameter(torch.ones(self.past // 2 + 1, self.hidden))

    def read(self, x: torch.Tensor) -> torch.Tensor:
        spectrum = torch.fft.rfft(x, dim=1) * self.weight
        return torch.fft.irfft(spectrum, n=self.past, dim=1).mean(dim=1)


class PatchForecaster(Forecaster):
    """Reads the past in pieces of eight."""

    def build(self) -> None:
        self.patch = nn.Linear(8 * self.hidden, self.hidden)
        self.mix = nn.Linear(self.hidden, self.hidden)

    def read(self, x: torch.Tensor) -> torch.Tensor:
        x = x.reshape(x.shape[0], self.past // 8, 8 * self.hidden)
        x = F.gelu(self.patch(x))
        return F.gelu(self.mix(x)).mean(dim=1)


def train(model: Forecaster, batches: int = 100) -> float:
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    loss = torch.zeros(())
    for _ in range(batches):
        time = torch.arange(model.past + model.future) + 100 * torch.rand(32, 1)
        series = torch.sin(time / 5)[..., None] + 0.1 * torch.randn(32, model.past + model.future, 1)
        loss = model.loss(series[:, : model.past], series[:, model.past :])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


if __name__ == "__main__":
    for kind in Forecaster.__subclasses__():
        print(kind.__name__, train(kind()))
