"""Ignite 0.5: engines and their events (`ignite/engine`)."""
