from . import drift, spikes
