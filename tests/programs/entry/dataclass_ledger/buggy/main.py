from dataclasses import dataclass, field

import torch


@dataclass
class Ledger:
    """Balances per account, with the utility that they bring."""

    balances: torch.Tensor
    history: list = field(default_factory=list)
    aversion: float = 1.0

    @property
    def utility(self):
        return self.aversion * torch.log(self.balances).sum()  # saved

    def report(self):
        self.history.append(self.utility)

    def book(self, account, amount):
        self.balances[account] += amount  # changed


saving_rate = torch.tensor([0.2, 0.4, 0.1], requires_grad=True)
ledger = Ledger(balances=100 * saving_rate, aversion=0.5)
ledger.report()
ledger.book(1, 5.0)
ledger.report()
loss = -torch.stack(ledger.history).sum()
loss.backward()
print(saving_rate.grad)
