"""Delays on a railway network: two small graphs in one batch."""
import torch

from network import GraphNet, Timetable, collate

torch.manual_seed(2)
tables = [
    Timetable(stations=torch.randn(3, 2), edges=torch.tensor([[0, 1, 2], [1, 2, 0]]), delay=torch.tensor([1.0])),
    Timetable(stations=torch.randn(2, 2), edges=torch.tensor([[0, 1], [1, 0]]), delay=torch.tensor([0.5])),
]
net = GraphNet(features=2, width=3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.05)

stations, edges, delays = collate(tables)
alone = torch.stack([net(table.stations, table.edges).mean() for table in tables[:1]])
together = net(stations, edges).mean()
loss = (together - delays.mean()).square() + (alone - together).square().mean()
optimizer.zero_grad()
loss.backward()
optimizer.step()
print(loss.item())
