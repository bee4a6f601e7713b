import torch


class Baseline:
    def __init__(self, states):
        self.states = states
        self.table = None

    @torch.inference_mode()
    def reset(self):
        self.table = torch.zeros(self.states)

    @torch.inference_mode()
    def update(self, state, reward, rate=0.1):
        self.table[state] += rate * (reward - self.table[state])


baseline = Baseline(3)
baseline.reset()
for state, reward in [(0, 1.0), (2, 0.5), (0, 0.2)]:
    baseline.update(state, reward)
print(baseline.table.tolist())
