"""Captum 0.9: attributions (`captum/attr`)."""
