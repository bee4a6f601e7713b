"""A domain of fastai."""
