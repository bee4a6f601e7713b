"""Two bidders learn reserve prices in one market."""
import torch

from bidders import Bidder
from market import Market
from settings import ORDER, ROUNDS


def objectives(bidders, market, signal):
    bids = {name: bidder(signal) for name, bidder in bidders.items()}
    return {name: market.profit(name, bids) for name in bids}


def main():
    torch.manual_seed(3)
    bidders = {name: Bidder(width=4) for name in ORDER}
    market = Market(cost=0.2)
    for _ in range(ROUNDS):
        signal = torch.rand(8, 2)
        profits = objectives(bidders, market, signal)
        total = len(profits)
        for name in ORDER:
            bidder = bidders[name]
            total -= 1
            bidder.improve(profits[name], keep=total > 0)
    print({name: round(profit.item(), 4) for name, profit in profits.items()})


main()
