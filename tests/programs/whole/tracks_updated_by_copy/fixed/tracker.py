import torch
from torch import nn

from track import Track


class Tracker:
    def __init__(self):
        self.motion = nn.Linear(2, 2, bias=True)
        self.tracks = []

    def start(self, detections):
        self.tracks = [Track(place.clone()) for place in detections]

    def predict(self):
        return torch.stack([track.state + self.motion(track.state) for track in self.tracks])

    def match(self, detections):
        cost = torch.cdist(self.predict(), detections)
        pairs, free = [], set(range(len(detections)))
        for i, row in enumerate(cost.detach()):
            j = min(free, key=lambda k: row[k].item())
            free.remove(j)
            pairs.append((i, j))
        return sum(cost[i, j] for i, j in pairs) / len(pairs), pairs

    @torch.no_grad()
    def update(self, detections, pairs):
        for i, j in pairs:
            self.tracks[i].move_to(detections[j])
