"""Following cells under the microscope: a learned motion model, matched greedily."""
import torch

from tracker import Tracker


def film(frames, cells):
    generator = torch.Generator().manual_seed(2)
    place = 4 * torch.rand(cells, 2, generator=generator)
    for _ in range(frames):
        place = place + 0.1 * torch.randn(cells, 2, generator=generator) + torch.tensor([0.2, 0.0])
        yield place[torch.randperm(cells, generator=generator)]


def main():
    torch.manual_seed(0)
    tracker = Tracker()
    optimizer = torch.optim.Adam(tracker.motion.parameters(), lr=1e-2)
    for number, detections in enumerate(film(frames=4, cells=3)):
        if number == 0:
            tracker.start(detections)
            continue
        loss, pairs = tracker.match(detections)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        tracker.update(detections, pairs)
        print(number, round(loss.item(), 4), [track.age for track in tracker.tracks])


if __name__ == "__main__":
    main()
