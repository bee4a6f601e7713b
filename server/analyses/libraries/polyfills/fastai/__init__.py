"""fastai 2: a learner with callbacks at its events, and layers."""
