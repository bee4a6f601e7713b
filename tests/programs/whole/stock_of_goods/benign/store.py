import math

import torch


def demand(day, shelves):
    return [2.0 + math.sin(day + i) for i in range(shelves)]


class Store:
    def __init__(self, orders):
        self.orders = orders
        self.shelves = {name: 1.0 + 0 * order for name, order in orders.items()}
        self.prices = torch.linspace(0.1, 0.2, len(orders))

    def receive(self):
        for name, order in self.orders.items():
            self.shelves[name] = self.shelves[name] + order

    def holding(self):
        total = torch.zeros(())
        for price, stock in zip(self.prices, self.shelves.values()):
            total = total + price * stock
        return total

    def sell(self, wanted):
        lost = torch.zeros(())
        for name, amount in zip(self.shelves, wanted):
            stock = self.shelves[name]
            sold = stock.detach().clamp(max=amount)
            stock -= sold
            lost = lost + (amount - sold)
        return lost
