"""Captum: attributions (`captum/attr`)."""
