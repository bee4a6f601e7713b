"""How much to order: gradients through a simulated store."""
import torch

from store import Store, demand


def season(store, days):
    cost = torch.zeros(())
    for day in range(days):
        store.receive()
        cost = cost + store.holding()
        cost = cost + store.sell(demand(day, len(store.shelves)))
    return cost


def main():
    orders = {"fresh": torch.tensor(3.0, requires_grad=True), "dry": torch.tensor(2.0, requires_grad=True)}
    optimizer = torch.optim.SGD(orders.values(), lr=0.05)
    for _ in range(2):
        store = Store(orders)
        cost = season(store, days=3)
        optimizer.zero_grad()
        cost.backward()
        optimizer.step()
        print({name: round(order.item(), 3) for name, order in orders.items()})


if __name__ == "__main__":
    main()
