"""When do the birds leave? A hidden Markov model with a trainable transition matrix."""
import torch

from chain import Chain

STATES, DAYS = 3, 6


def sightings(days):
    seen = torch.zeros(days, dtype=torch.long)
    seen[days // 2 :] = 1
    return seen


def train(chain, seen, steps=2):
    optimizer = torch.optim.Adam(chain.parameters(), lr=0.05)
    for _ in range(steps):
        optimizer.zero_grad()
        loss = -chain.log_likelihood(seen)
        loss.backward()
        optimizer.step()
        yield loss.item()


if __name__ == "__main__":
    torch.manual_seed(0)
    print([round(value, 3) for value in train(Chain(STATES, symbols=2), sightings(DAYS))])
