import torch


def estimator(states, rate=0.5):
    estimate = torch.zeros(states)
    while True:
        update = yield estimate
        if update is None:
            break
        state, reward = update
        estimate[state] += rate * (reward - estimate[state])


policy = torch.tensor([0.2, 0.5, 0.3], requires_grad=True)
running = estimator(3)
estimate = next(running)
value = torch.zeros(())
for state, reward in [(0, 1.0), (2, 0.5), (1, 2.0)]:
    value = value + (policy - estimate).abs().sum()
    estimate = running.send((state, reward))
running.close()
value.backward()
print(policy.grad)
