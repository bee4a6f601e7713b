"""fastai 2: a learner that calls callbacks at its events, and layers."""
